// A library that forgot its reference.
extern "C" int nothing_here(void);
extern "C" int nothing_here(void) { return 0; }
