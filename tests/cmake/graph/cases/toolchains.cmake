# A line while configuring says which language has no toolchain, or one of another version, and what to do.
copy_project(graph/project)
set(ENV{XDG_CACHE_HOME} "${case_dir}/cache")
set(ENV{HOME} "${case_dir}")
unset(ENV{KERNELLOOP_TRITON_PYTHON})
configure(-DKERNELLOOP_LANGUAGE=TRITON)
expect_text(
  "${configure_output}"
  "the toolchain of TRITON is not installed; run `kernelloop toolchain install triton`, or set KERNELLOOP_TRITON_PYTHON"
)

# What a variable names is asked: a Python that has the package in the version that it is told to say.
function(configure_with answer)
  file(WRITE "${case_dir}/python" "#!/bin/sh\n${answer}\n")
  file(CHMOD "${case_dir}/python" PERMISSIONS OWNER_READ OWNER_EXECUTE)
  configure(-DKERNELLOOP_LANGUAGE=TRITON)
  file(REMOVE "${case_dir}/python")
  set(configure_output "${configure_output}" PARENT_SCOPE)
endfunction()
set(ENV{KERNELLOOP_TRITON_PYTHON} "${case_dir}/python")
configure_with("echo 3.5.1")
expect_text(
  "${configure_output}"
  "KERNELLOOP_TRITON_PYTHON names ${case_dir}/python, which has triton 3.5.1, not the 3.6.0 that TRITON needs"
)
configure_with("exit 1")
expect_text(
  "${configure_output}"
  "which has triton none, not the 3.6.0 that TRITON needs; name another"
)
configure_with("echo 3.6.0")
if(configure_output MATCHES "TRITON")
  fail("a toolchain of the right version is called wrong:\n${configure_output}")
endif()
