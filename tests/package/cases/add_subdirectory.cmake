# By add_subdirectory, with the stand-in programs.
consume(add_subdirectory)
