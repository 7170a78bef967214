/* kernelloop:plan
{
 "workspace_bytes": "rows*4",
 "launches": [
  {
   "when": "cols <= 4096 && rows > 1 ? 1 : 0",
   "kernel": "a",
   "grid": [
    "ceil_div(rows, 4)",
    "2"
   ],
   "block": [
    32,
    4
   ],
   "cluster": [
    2,
    1,
    1
   ],
   "cooperative": false,
   "programmatic_dependent_launch": false,
   "dynamic_shared_bytes": "min(cols*4, 65536)",
   "args": [
    "x",
    "y",
    "factor",
    {
     "workspace_offset": "0"
    },
    "workspace",
    "rows % 7"
   ]
  },
  {
   "kernel": "b",
   "grid": [
    "rows"
   ],
   "block": [
    256
   ],
   "args": [
    "y"
   ]
  }
 ]
}
*/
