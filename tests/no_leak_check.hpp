#pragma once
// For a program whose leaks are no mistakes; it says why beside the #include.

extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
