// Faults whose operation passes would like to delete: each function has the one that it says, and passes must leave it.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <symex.h>

struct four {
  int a, b, c, d;
};
struct link {
  struct link *next;
  int value;
};
struct pair_and_one {
  int a[2];
  int b;
};

// expect: bug out-of-bounds
int dead_local(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int x;
  x = p[i];
  x = 5;
  free(p);
  return x - 5;
}

// expect: bug out-of-bounds
int empty_if(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  if (p[i]) {} free(p);
  return 0;
}

static int global_twice_out[2];
// expect: bug out-of-bounds
int global_twice(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  global_twice_out[0] = p[i];
  global_twice_out[0] = 1;
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int struct_copy_unused(void) {
  struct four *p = malloc(symex_range(12, 17, "n"));
  memset(p, 0, 12);
  struct four t = *p;
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int struct_copy_part(void) {
  struct four *p = malloc(symex_range(12, 17, "n"));
  memset(p, 0, 12);
  struct four t = *p;
  int r = t.a;
  free(p);
  return r;
}

// expect: bug out-of-bounds
int struct_copy_over(void) {
  struct four *p = malloc(symex_range(12, 17, "n"));
  memset(p, 0, 12);
  struct four t = *p;
  struct four u = {0};
  t = u;
  free(p);
  return t.a;
}

// expect: bug out-of-bounds
int struct_store_part(void) {
  struct four *p = malloc(symex_range(12, 17, "n"));
  struct four t = {1, 2, 3, 4};
  *p = t;
  int r = p->a;
  free(p);
  return r-1;
}

// expect: bug out-of-bounds
int mul_zero(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int r = p[i] * 0;
  free(p);
  return r;
}

// expect: bug out-of-bounds
int sub_self(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int x = p[i];
  int r = x - x;
  free(p);
  return r;
}

// expect: bug division-by-zero
int div_unused(void) {
  int d = symex_range(0, 3, "d");
  int x = 10 / d;
  return 0;
}

// expect: bug division-by-zero
int div_zero_num(void) {
  int d = symex_range(0, 3, "d");
  int x = 0 / d;
  return x;
}

// expect: bug division-by-zero
int div_self(void) {
  int d = symex_range(0, 3, "d");
  int x = d / d;
  return x == 7;
}

// expect: bug division-by-zero
int rem_one(void) {
  int d = symex_range(0, 3, "d");
  int x = d % d;
  return x;
}

// expect: bug division-by-zero
int div_phi(void) {
  int d = symex_range(0, 3, "d");
  int k = d == 2 ? 0 : 5;
  int x = 10 / k;
  return x == 7;
}

static int null_phi_g;
// expect: bug null-access
int null_phi(void) {
  int d = symex_range(0, 3, "d");
  int *k = d == 2 ? 0 : &null_phi_g;
  return *k;
}

static int null_store_phi_g;
// expect: bug null-access
int null_store_phi(void) {
  int d = symex_range(0, 3, "d");
  int *k = d == 2 ? 0 : &null_store_phi_g;
  *k = 1;
  return 0;
}

// expect: bug null-access
int null_store(void) {
  int d = symex_range(0, 3, "d");
  if (d == 2) *(int*)0 = 1;
  return 0;
}

// expect: bug null-access
int null_load2(void) {
  int d = symex_range(0, 3, "d");
  int x = 0;
  if (d == 2) x = *(int*)0;
  return 0;
}

// expect: bug null-access
int null_checked_late(void) {
  int d = symex_range(0, 3, "d");
  int *p = d == 2 ? 0 : calloc(4, 1);
  int x = *p;
  if (!p) return 3;
  free(p);
  return x;
}

// expect: bug out-of-bounds
int stack_oob_read(void) {
  int a[4] = {1, 2, 3, 4};
  int *p = a;
  return p[5] * 0;
}

// expect: bug out-of-bounds
int stack_oob_read2(void) {
  struct pair_and_one s = {{1, 2}, 3};
  int *p = s.a;
  int x = p[3];
  return 0;
}

// expect: bug out-of-bounds
int stack_oob_write(void) {
  int a[4] = {1, 2, 3, 4};
  int *p = a;
  p[5] = 1;
  return a[0]-1;
}

// expect: bug out-of-bounds
int stack_oob_write_dead(void) {
  int a[4];
  int *p = a;
  p[5] = 1;
  return 0;
}

// expect: bug out-of-bounds
int stack_oob_memset(void) {
  int a[4];
  int *p = a;
  memset(p, 0, 20);
  return 0;
}

// expect: bug out-of-bounds
int stack_oob_memcpy(void) {
  int a[3]={1, 2, 3};
  struct four *p = (struct four*)a;
  struct four t = *p;
  return t.a-1;
}

// expect: bug out-of-bounds
int stack_sym_read(void) {
  int a[4] = {1, 2, 3, 4};
  int *p = a;
  int i = symex_range(0, 6, "i");
  int x = p[i];
  return 0;
}

// expect: bug out-of-bounds
int stack_sym_write(void) {
  int a[4] = {1, 2, 3, 4};
  int *p = a;
  int i = symex_range(0, 6, "i");
  p[i] = 0;
  return 0;
}

// expect: bug use-after-free
int use_after_free_unused(void) {
  char *p = calloc(4, 1);
  free(p);
  char x = p[0];
  return 0;
}

// expect: bug use-after-free
int use_after_free_cse(void) {
  char *p = calloc(4, 1);
  char x = p[0];
  free(p);
  char y = p[0];
  return x - y;
}

// expect: bug use-after-free
int use_after_free_cse2(void) {
  char *p = calloc(4, 1);
  char x = p[0];
  if (symex_range(0, 2, "k")) free(p);
  char y = p[0];
  return x - x + y - y;
}

// expect: bug use-after-free
int realloc_uaf(void) {
  char *p = calloc(4, 1);
  p[0] = 1;
  char *q = realloc(p, 100000);
  char x = p[0];
  free(q);
  return 0;
}

static const char write_const_s[] = "abc";
// expect: bug read-only-write
int write_const(void) {
  char *p = (char*)write_const_s;
  p[0] = p[0];
  return 0;
}

// expect: bug read-only-write
int write_const2(void) {
  char *p = (char*)"abc";
  p[1] = 1;
  p[1] = p[1];
  return 0;
}

// expect: bug out-of-bounds
int write_twice(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  p[i] = 1;
  p[i] = 2;
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int strlen_unused(void) {
  char *p = malloc(4);
  memset(p, 1, 4);
  p[symex_range(0, 5, "i")&3] = 1;
  strlen(p);
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int strcmp_unused(void) {
  char *p = malloc(4);
  memset(p, 1, 4);
  char *q = malloc(4);
  memset(q, 1, 4);
  int x = strcmp(p, q);
  free(p);
  free(q);
  return 0;
}

// expect: bug out-of-bounds
int memcmp_unused(void) {
  char *p = calloc(4, 1);
  char *q = calloc(8, 1);
  int x = memcmp(p, q, symex_range(0, 6, "n"));
  free(p);
  free(q);
  return 0;
}

static __attribute__((pure, noinline)) int pure_unused_get(char *p, int i){ return p[i]; }
// expect: bug out-of-bounds
int pure_unused(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  pure_unused_get(p, i);
  free(p);
  return 0;
}

static __attribute__((pure)) int pure_unused_inl_get(char *p, int i){ return p[i]; }
// expect: bug out-of-bounds
int pure_unused_inl(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  pure_unused_inl_get(p, i);
  free(p);
  return 0;
}

static __attribute__((const, noinline)) int const_unused_dv(int a, int b){ return a / b; }
// expect: bug division-by-zero
int const_unused(void) {
  int d = symex_range(0, 3, "d");
  const_unused_dv(5, d);
  return 0;
}

// expect: bug out-of-bounds
int loop_reads(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int s = 0;
  for (int j = 0; j < i; j++) s = p[j];
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int cond_reads(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int x = i > 2 ? p[i] : 0;
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int switch_same(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  switch (p[i]) { case 1: break; case 2: break; default: break; } free(p);
  return 0;
}

// expect: bug out-of-bounds
int and_false(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int r = p[i] && 0;
  free(p);
  return r;
}

// expect: bug out-of-bounds
int cast_void(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  (void)p[i];
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int comma(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  int r = (p[i], 0);
  free(p);
  return r;
}

// expect: bug out-of-bounds
int swap_back(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  char c = p[i];
  p[i] = c;
  free(p);
  return 0;
}

// expect: bug null-access
int nested(void) {
  struct link a = {0, 1};
  struct link *q = &a;
  if (symex_range(0, 3, "k")==1) q = q->next;
  int x = q->value;
  return 0;
}

static int args_unused_f(int unused){ return 0; }
// expect: bug out-of-bounds
int args_unused(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  args_unused_f(p[i]);
  free(p);
  return 0;
}

static int ret_unused_f(char*p,int i){ return p[i]; }
// expect: bug out-of-bounds
int ret_unused(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  ret_unused_f(p, i);
  free(p);
  return 0;
}

static int global_oob_g[4]={1,2,3,4};
// expect: bug out-of-bounds
int global_oob(void) {
  int i = symex_range(0, 6, "i");
  int *p = global_oob_g;
  int x = p[i];
  return 0;
}

static int global_oob_const_g[4]={1,2,3,4};
// expect: bug out-of-bounds
int global_oob_const(void) {
  int *p = global_oob_const_g;
  int x = p[5];
  return 0;
}

static int global_oob_store_g[4]={1,2,3,4};
// expect: bug out-of-bounds
int global_oob_store(void) {
  int *p = global_oob_store_g;
  p[5] = 0;
  p[5] = 1;
  return 0;
}

// expect: bug misaligned
int misaligned(void) {
  char *p = calloc(16, 1);
  int i = symex_range(0, 6, "i");
  int x = *(int*)(p+i);
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int memcpy_unused(void) {
  char *p = calloc(4, 1);
  char b[8];
  memcpy(b, p, 8);
  free(p);
  return 0;
}

static int vararg_f(int n, ...){ va_list a; va_start(a,n); int x = va_arg(a,int); va_end(a); return 0; }
// expect: bug out-of-bounds
int vararg(void) {
  int i = symex_range(0, 3, "i");
  int *p = malloc(8);
  vararg_f(1, p[i]);
  free(p);
  return 0;
}

// expect: bug out-of-bounds
int store_dead_heap(void) {
  char *p = calloc(4, 1);
  int i = symex_range(0, 6, "i");
  p[i] = 3;
  free(p);
  return 0;
}

static int *address_of_a_local(void) {
  int value = 3;
  int *address = &value;
  return address;
}
// expect: bug use-after-free
int write_after_return(void) {
  int *p = address_of_a_local();
  *p = 5;
  return 0;
}

static int use(int value) {
  if (value == 5)
    abort();
  return value;
}

// expect: bug uninit-use
int copied_to_another(void) {
  struct four x;
  x.a = 1;
  struct four y = x;
  return use(y.c);
}

// expect: bug uninit-use
int copied_through_a_third(void) {
  struct four x, y = {1, 2, 3, 4};
  x.a = 1;
  struct four t = x;
  x = y;
  y = t;
  return use(y.c);
}

// expect: bug uninit-use
int copied_when_partly_written(void) {
  struct four x;
  x.a = symex_range(0, 3, "a");
  if (x.a == 1)
    x.c = 7;
  struct four y = x;
  return y.a ? use(y.c) : 0;
}

// expect: bug uninit-use
int copied_into_what_was_written(void) {
  struct four x = {1, 2, 3, 4};
  {
    struct four t;
    t.a = 0;
    x = t;
  }
  return use(x.b);
}

// expect: bug uninit-use
int copied_from_one_of_two(void) {
  struct four x, y = {1, 2, 3, 4};
  x.a = 1;
  struct four z = symex_range(0, 2, "which") ? x : y;
  return use(z.c);
}

// expect: bug uninit-use
int copied_out_of_many(void) {
  int many[100];
  many[0] = 1;
  int one;
  memcpy(&one, &many[7], sizeof one);
  return use(one);
}

// expect: bug uninit-use
int copied_inside_itself(void) {
  char b[8];
  b[0] = 1;
  memmove(b + 4, b, 4);
  return use(b[5]);
}

// expect: bug uninit-use
int copied_to_the_heap(void) {
  struct four *to = calloc(1, sizeof *to);
  struct four x;
  x.a = 1;
  *to = x;
  int found = use(to->c);
  free(to);
  return found;
}

// expect: bug uninit-use
int copied_from_the_heap(void) {
  struct four *from = malloc(sizeof *from);
  from->a = 1;
  struct four x = *from;
  int found = use(x.c);
  free(from);
  return found;
}

static int third_of(struct four x) { return use(x.c); }
// expect: bug uninit-use
int copied_to_a_function(void) {
  struct four x;
  x.a = 1;
  return third_of(x);
}

static struct four of_one(int a) {
  struct four x;
  x.a = a;
  return x;
}
// expect: bug uninit-use
int copied_from_a_function(void) {
  struct four x = of_one(3);
  return use(x.c);
}
