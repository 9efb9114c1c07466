// getopt for programs whose ranks share a process. The C library keeps one place in the words for all of them; each
// rank loads a copy of this file, and so has a place of its own. It does what POSIX and the GNU C library's manual say
// of getopt, getopt_long and getopt_long_only, without `W;`.

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Weak: a program may define some of these names itself, as it may beside the C library.
#define OURS __attribute__((visibility("hidden"), weak))

OURS char* optarg;
OURS int optind = 1;
OURS int opterr = 1;
OURS int optopt = '?';

// What becomes of words that are no options. `permuted`: they are moved behind the options. `ended` (the short options
// begin with '+'): the first one ends the reading. `in_order` ('-'): each is given as option 1.
enum order { permuted, ended, in_order };

static char* rest;              // of the word of short options that is being read
static int first_moved, moved;  // words [first_moved, moved) are no options and stand before optind

/// Swaps the words that were passed over with the options behind them, if there are both.
static void exchange(char** words) {
  const int passed = moved - first_moved, options = optind - moved;
  if (passed > 0 && options > 0) {
    char** const kept = malloc((size_t)passed * sizeof *kept);
    if (!kept) abort();
    memcpy(kept, words + first_moved, (size_t)passed * sizeof *kept);
    memmove(words + first_moved, words + moved, (size_t)options * sizeof *words);
    memcpy(words + first_moved + options, kept, (size_t)passed * sizeof *kept);
    free(kept);
  }
  first_moved += options;
  moved = optind;
}

static int is_option(const char* word) { return word[0] == '-' && word[1] != '\0'; }

struct call {
  int count;
  char** words;
  const char* short_options;  // without '+' or '-' before them
  const struct option* long_options;
  int* found;     // gets the place of the long option in `long_options`; may be NULL
  int long_only;  // one dash is enough for a long option
  int says;       // print what is wrong
  int asks;       // give ':' where an argument is missing
};

static int matches(const struct option* o, const char* name, size_t length) {
  return strncmp(o->name, name, length) == 0;
}
static int same(const struct option* a, const struct option* b) {
  return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/// Reads a long option whose name begins at `name`. Gives what getopt_long gives; -1 if it may be a short one.
static int read_long(const struct call* c, char* name, const char* dashes) {
  const size_t length = strcspn(name, "=");
  const struct option *found = NULL, *all = c->long_options;
  int ambiguous = 0;
  for (const struct option* o = all; o->name && !found; ++o)
    if (matches(o, name, length) && strlen(o->name) == length) found = o;
  if (!found) {
    for (const struct option* o = all; o->name; ++o) {
      if (!matches(o, name, length)) continue;
      if (!found)
        found = o;
      else if (c->long_only || !same(o, found))
        ambiguous = 1;
    }
  }
  if (!found && c->long_only && dashes[1] == '\0' && strchr(c->short_options, *name)) return -1;
  ++optind;
  rest = NULL;
  if (!found || ambiguous) {
    optopt = 0;
    if (!c->says) return '?';
    if (!found) {
      fprintf(stderr, "%s: unrecognized option '%s%s'\n", c->words[0], dashes, name);
      return '?';
    }
    fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", c->words[0], dashes, name);
    for (const struct option* o = all; o->name; ++o)
      if (matches(o, name, length) && (o == found || c->long_only || !same(o, found)))
        fprintf(stderr, " '%s%s'", dashes, o->name);
    fputc('\n', stderr);
    return '?';
  }
  if (name[length] == '=') {
    if (found->has_arg == no_argument) {
      if (c->says) fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", c->words[0], dashes, found->name);
      optopt = found->val;
      return '?';
    }
    optarg = name + length + 1;
  } else if (found->has_arg == required_argument) {
    if (optind >= c->count) {
      if (c->says) fprintf(stderr, "%s: option '%s%s' requires an argument\n", c->words[0], dashes, found->name);
      optopt = found->val;
      return c->asks ? ':' : '?';
    }
    optarg = c->words[optind++];
  }
  if (c->found) *c->found = (int)(found - all);
  if (!found->flag) return found->val;
  *found->flag = found->val;
  return 0;
}

static int read_short(const struct call* c) {
  const char name = *rest++;
  const char* const known = name == ':' || name == ';' ? NULL : strchr(c->short_options, name);
  if (*rest == '\0') {
    rest = NULL;
    ++optind;
  }
  if (!known) {
    if (c->says) fprintf(stderr, "%s: invalid option -- '%c'\n", c->words[0], name);
    optopt = name;
    return '?';
  }
  if (known[1] != ':') return name;
  if (rest) {
    optarg = rest;
    rest = NULL;
    ++optind;
  } else if (known[2] == ':') {
    optarg = NULL;
  } else if (optind < c->count) {
    optarg = c->words[optind++];
  } else {
    if (c->says) fprintf(stderr, "%s: option requires an argument -- '%c'\n", c->words[0], name);
    optopt = name;
    return c->asks ? ':' : '?';
  }
  return name;
}

static int next(int count, char* const* words, const char* short_options, const struct option* long_options, int* found,
                int long_only) {
  struct call c = {count, (char**)words, short_options, long_options, found, long_only, opterr, 0};
  if (count < 1) return -1;
  optarg = NULL;
  if (optind == 0) {  // begins anew
    optind = 1;
    first_moved = moved = 1;
    rest = NULL;
  }
  if (first_moved == 0) first_moved = moved = optind;
  enum order order = getenv("POSIXLY_CORRECT") ? ended : permuted;
  if (*c.short_options == '-' || *c.short_options == '+') order = *c.short_options++ == '-' ? in_order : ended;
  c.asks = *c.short_options == ':';
  if (c.asks) c.says = 0;

  if (!rest || *rest == '\0') {
    if (moved > optind) moved = optind;
    if (first_moved > optind) first_moved = optind;
    if (order == permuted) {
      exchange(c.words);
      while (optind < count && !is_option(c.words[optind])) ++optind;
      moved = optind;
    }
    if (optind != count && strcmp(c.words[optind], "--") == 0) {
      ++optind;
      exchange(c.words);
      moved = count;
      optind = count;
    }
    if (optind == count) {
      if (first_moved != moved) optind = first_moved;
      return -1;
    }
    char* const word = c.words[optind];
    if (!is_option(word)) {
      if (order == ended) return -1;
      optarg = c.words[optind++];
      return 1;
    }
    if (long_options) {
      if (word[1] == '-') return read_long(&c, word + 2, "--");
      if (long_only && (word[2] != '\0' || !strchr(c.short_options, word[1]))) {
        const int read = read_long(&c, word + 1, "-");
        if (read != -1) return read;
      }
    }
    rest = word + 1;
  }
  return read_short(&c);
}

OURS int getopt(int count, char* const* words, const char* short_options) {
  return next(count, words, short_options, NULL, NULL, 0);
}
OURS int getopt_long(int count, char* const* words, const char* short_options, const struct option* long_options,
                     int* found) {
  return next(count, words, short_options, long_options, found, 0);
}
OURS int getopt_long_only(int count, char* const* words, const char* short_options, const struct option* long_options,
                          int* found) {
  return next(count, words, short_options, long_options, found, 1);
}
