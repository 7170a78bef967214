# Prints the value at PATH_IN_JSON (members and indices, separated by dots) of the JSON in FILE.
file(READ "${FILE}" text)
string(REPLACE "." ";" members "${PATH_IN_JSON}")
string(JSON value GET "${text}" ${members})
message("${value}")
