extern "C" int errors_reference() { return 1; }
