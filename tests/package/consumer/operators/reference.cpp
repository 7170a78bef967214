#include <kernelloop/reference.h>

extern "C" int consumer_reference() { return CONSUMER_DEFINITION; }
