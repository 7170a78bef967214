# _kernelloop_define_properties()
#
# The options of an operator are properties of its library target <op>. Each starts from the
# variable of the same name at the time of add_kernel_op; an argument of add_kernel_op wins. The
# ones marked "fixed" shape the graph and cannot be changed after the call.
function(_kernelloop_define_properties)
  set(
    docs
    "LANGUAGE=fixed: the kernel languages of the versions"
    "VERSIONS=fixed: how many versions the loop may try"
    "CANDIDATES=fixed: how many versions are tried side by side in one round"
    "DEVICE=fixed: cuda or cpu; auto is resolved by add_kernel_op"
    "GENERATED_DIR=fixed: where <op>/vNNN and <op>/adopted.json stand"
    "LABELS=fixed: extra labels of the operator's tests"
    "TEST_TIMEOUT=fixed: seconds that one test may take"
    "FIX_LIMIT=how often one proposal may mend a compile error"
    "BUDGET_USD=US dollars that all requests for the operator may cost; empty for no limit"
    "BUDGET_TOKENS=tokens of all requests for the operator; empty for no limit"
    "BUDGET_REQUESTS=how many requests for the operator; empty for no limit"
    "RUN_BUDGET_USD=US dollars that the requests of one build may cost, for all operators"
    "RUN_BUDGET_TOKENS=tokens of all requests of one build"
    "RUN_BUDGET_REQUESTS=how many requests of one build"
    "PROVIDER=who writes the versions"
    "MODEL=the provider's model; empty for its default"
    "CONTEXT=directories that the model may search"
    "HINTS=the engineer's steering words for the next proposal"
    "BASELINES=fixed: other implementations to compare with"
    "SOL_TARGET=fraction of the roofline at which the loop stops"
    "ARCHITECTURES=GPU architectures, such as 90a"
    "COMPILE_OPTIONS=extra options of the kernel compiler"
    "SANITIZER=run every version under compute-sanitizer once all else has passed (GPU)"
    "SHARE_GPU=let verifications of versions run on one GPU at the same time"
    "EXCLUDE_FROM_OPTIMIZE_ALL=leave the operator out of optimize_all"
    "REPORTS_DIR=where evidence and reports stand"
    "RECORDINGS_DIR=where the replay provider finds <op>/vNNN/conversation.json"
    "DEVICE_LAUNCHER=words in front of every command that needs the device"
    "NVCC=path of nvcc, empty without one"
    "HOST_COMPILER=path of the C++ compiler for the CPU device"
  )
  foreach(doc IN LISTS docs)
    string(REGEX MATCH "^([A-Z_]+)=(.*)$" matched "${doc}")
    define_property(
      TARGET
      PROPERTY KERNELLOOP_${CMAKE_MATCH_1}
      BRIEF_DOCS "${CMAKE_MATCH_2}"
      INITIALIZE_FROM_VARIABLE KERNELLOOP_${CMAKE_MATCH_1}
    )
  endforeach()
endfunction()
