# _kernelloop_json_string(<out> <text>)
#
# <text> as a JSON string, quotes included. Generator expressions in it stay as they are.
function(_kernelloop_json_string out text)
  if(text MATCHES "[\\\"\n\t]")
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n" text "${text}")
    string(REPLACE "\t" "\\t" text "${text}")
  endif()
  set(${out} "\"${text}\"" PARENT_SCOPE)
endfunction()

# _kernelloop_json_list(<out> <item>...)
#
# The items as a JSON array of strings; no items give [].
function(_kernelloop_json_list out)
  set(array "")
  foreach(item IN LISTS ARGN)
    _kernelloop_json_string(text "${item}")
    if(NOT array STREQUAL "")
      string(APPEND array ", ")
    endif()
    string(APPEND array "${text}")
  endforeach()
  set(${out} "[${array}]" PARENT_SCOPE)
endfunction()
