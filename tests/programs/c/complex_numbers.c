// expect: pass-complete
#include <assert.h>
#include <complex.h>
static double complex square(double complex z) { return z * z; }
static float complex turned(float complex z) { return z * I; }
static long double complex precise(long double complex z) { return z + 1.0L; }
int main(void) {
  double complex z = 3 + 4 * I;
  assert(creal(z) == 3 && cimag(z) == 4 && sizeof z == 16);
  assert(square(z) == -7 + 24 * I && conj(z) == 3 - 4 * I && z != square(z));
  float complex w = turned(1 + 2 * I);
  assert(crealf(w) == -2 && cimagf(w) == 1);
  long double complex p = precise(2.5L * I);
  assert(creall(p) == 1 && cimagl(p) == 2.5L && p * p == -5.25L + 5.0L * I);
  double parts[2] = {z, __imag__ z};
  assert(parts[0] == 3 && parts[1] == 4);
  _Complex int n = 2 + 3i;
  assert(__real__ n == 2 && __imag__ (n * n) == 12);
  return 0;
}
