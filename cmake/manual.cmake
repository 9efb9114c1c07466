# Writes a page of the manual from the help of a command that is no command of CLI11's, such as a compiler's driver:
#
#   cmake -D COMMAND=<command> -D NAME=<name> -D VERSION=<version> -D PAGE=<file> -P manual.cmake
#
# Its help is the line of its usage, a sentence that says what it is, paragraphs, lines of options (two blanks, the
# option, two blanks or more, its meaning), and the exit statuses in the same form.
foreach(name MASLINCC MASLINCXX MASLINFC)
  unset(ENV{${name}})  # they stand in the help
endforeach()
execute_process(COMMAND ${COMMAND} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)

# As troff takes it.
string(REPLACE "\\" "\\e" help "${help}")
string(REPLACE "-" "\\-" help "${help}")
string(REPLACE "-" "\\-" name "${NAME}")
string(TOUPPER "${name}" title)

string(REGEX MATCH "^([^\n]*)\n\n([^\n]*)\\.\n(.*)$" form "${help}")
set(usage "${CMAKE_MATCH_1}")
set(what_it_is "${CMAKE_MATCH_2}")
set(rest "${CMAKE_MATCH_3}")
string(FIND "${usage}" "${name} " at)
if(NOT at EQUAL 0 OR NOT rest)
  message(FATAL_ERROR "${NAME} --help: expected a line that begins with '${NAME} ', an empty line, and a sentence in a line")
endif()
string(LENGTH "${name} " at)
string(SUBSTRING "${usage}" ${at} -1 usage)

set(page ".TH ${title} 1 \"\" \"${name} ${VERSION}\" \"Maslin\"\n.SH NAME\n${name} \\- ${what_it_is}\n.SH SYNOPSIS\n")
string(APPEND page "\\fB${name}\\fR ${usage}\n.SH DESCRIPTION\n${what_it_is}.\n")
set(begins_paragraph OFF)
while(NOT rest STREQUAL "")
  string(FIND "${rest}" "\n" end)
  string(SUBSTRING "${rest}" 0 ${end} line)
  math(EXPR end "${end} + 1")
  string(SUBSTRING "${rest}" ${end} -1 rest)
  if(line STREQUAL "")
    set(begins_paragraph ON)
    continue()
  endif()
  if(line STREQUAL "Exit status:")
    string(APPEND page ".SH EXIT STATUS\n")
  elseif(line MATCHES "^  ([^ ]+)  +(.+)$")
    string(APPEND page ".TP\n\\fB${CMAKE_MATCH_1}\\fR\n${CMAKE_MATCH_2}\n")
  else()
    if(begins_paragraph)
      string(APPEND page ".PP\n")
    endif()
    string(APPEND page "${line}\n")
  endif()
  set(begins_paragraph OFF)
endwhile()
string(APPEND page ".SH SEE ALSO\nmaslin(1)\n")
file(WRITE "${PAGE}" "${page}")
