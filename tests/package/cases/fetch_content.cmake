# By FetchContent from a local path, with the stand-in programs.
consume(FetchContent)
