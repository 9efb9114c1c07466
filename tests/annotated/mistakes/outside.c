// 3:9: error: expected a function around this line
int a;
#pragma css barrier
int b;
