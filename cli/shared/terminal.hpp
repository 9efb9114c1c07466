#pragma once
// What the other end of the output can show, and whether it is there.

#include <string_view>

namespace command {

/// Writes to the standard error. Nothing can be done about one that takes no text.
void tell(std::string_view text);

/// Keeps the numbers of standard streams that are closed. Otherwise files that are opened later get them, and with them
/// what is written to these streams. Reading and writing them stays an error.
void hold_standard_streams();

/// Says whether the environment names a UTF-8 locale; other characters than ASCII are shown only then.
bool locale_is_utf8();

/// Says whether a line on the standard error can be written over: it is a terminal, and no dumb one.
bool stderr_can_be_redrawn();

/// Ends the process as programs end whose output nobody reads any more: at once, without a message, by SIGPIPE.
[[noreturn]] void end_unread();

}  // namespace command
