extern "C" int graph_reference() { return 1; }
