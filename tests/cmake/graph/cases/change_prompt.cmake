# Hints, context, prompt limits, provider and model re-run nothing; they reach the next proposal
# through config.json and the files it names.
copy_project(graph/project)
file(MAKE_DIRECTORY "${source_dir}/notes")
configure(-DKERNELLOOP_VERSIONS=2)
build(optimize_all)
expect_steps_any()
file(WRITE "${source_dir}/hints.md" "Use vector loads.\n")
configure(
  -DKERNELLOOP_PROVIDER=manual
  -DKERNELLOOP_MODEL=other
  -DKERNELLOOP_FIX_LIMIT=0
  -DKERNELLOOP_CONTEXT=notes
)
expect_no_work(optimize_all)
file(READ "${op_dir}/config.json" config)
foreach(pair IN ITEMS "provider=manual" "model=other" "fix_limit=0" "hints=${source_dir}/hints.md")
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${pair}")
  string(JSON value GET "${config}" ${CMAKE_MATCH_1})
  expect_equal("${value}" "${CMAKE_MATCH_2}")
endforeach()
string(JSON value GET "${config}" context 0)
expect_equal("${value}" "${source_dir}/notes")
string(JSON value GET "${config}" notes_dir)
expect_equal("${value}" "${KERNELLOOP_SOURCE_DIR}/context")

# What a person writes about a version, or decides, is read by the next proposal too.
file(WRITE "${source_dir}/notes/new.md" "# New\n")
file(WRITE "${source_dir}/generated/softmax/v001/feedback.md" "Fewer registers.\n")
file(WRITE "${source_dir}/generated/softmax/steering.json" "{\"pin\": \"v001\"}\n")
expect_no_work(optimize_all)
