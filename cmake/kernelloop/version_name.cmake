# _kernelloop_version_name(<out> <number>)
#
# 1 -> v001, 12 -> v012, 1000 -> v1000: the name of a version in paths and JSON.
function(_kernelloop_version_name out number)
  if(number LESS 10)
    set(${out} "v00${number}" PARENT_SCOPE)
  elseif(number LESS 100)
    set(${out} "v0${number}" PARENT_SCOPE)
  else()
    set(${out} "v${number}" PARENT_SCOPE)
  endif()
endfunction()
