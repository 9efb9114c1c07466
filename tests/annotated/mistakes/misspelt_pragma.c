// 4:15: error: 'barier' means nothing here; did you mean barrier?
int main(void) {
  int x = 0;
  #pragma css barier
  return x;
}
