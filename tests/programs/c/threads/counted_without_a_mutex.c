// expect: bug data-race
#include <pthread.h>
static int count;
static void *add(void *by) {
  count += *(int *)by;
  return 0;
}
int main(void) {
  pthread_t threads[2];
  int by[2] = {1, 2};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, add, &by[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  return 0;
}
