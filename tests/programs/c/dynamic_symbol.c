// expect: pass-bounded
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <unistd.h>
typedef int (*access_type)(const char *, int);
int main(void) {
  access_type found = (access_type)dlsym(RTLD_DEFAULT, "access");
  assert(found == access && found("nowhere", F_OK) == -1);
  // It exists or not: the answer is an assumption.
  return dlsym(RTLD_DEFAULT, "no_function_of_this_name") != 0;
}
