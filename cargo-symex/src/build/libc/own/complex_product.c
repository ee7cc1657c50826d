/* Products of complex numbers, which compilers call by these names: C99, annex G, as compiler-rt and libgcc have them. */
#define PRODUCT(name, real, copysign_, infinity)                                                                     \
    _Complex real name(real a, real b, real c, real d)                                                               \
    {                                                                                                                \
        real ac = a * c, bd = b * d, ad = a * d, bc = b * c;                                                         \
        real x = ac - bd, y = ad + bc;                                                                               \
        if (__builtin_isnan(x) && __builtin_isnan(y)) {                                                              \
            int again = 0;                                                                                           \
            if (__builtin_isinf(a) || __builtin_isinf(b)) {                                                          \
                a = copysign_(__builtin_isinf(a) ? 1 : 0, a);                                                        \
                b = copysign_(__builtin_isinf(b) ? 1 : 0, b);                                                        \
                if (__builtin_isnan(c)) c = copysign_(0, c);                                                         \
                if (__builtin_isnan(d)) d = copysign_(0, d);                                                         \
                again = 1;                                                                                           \
            }                                                                                                        \
            if (__builtin_isinf(c) || __builtin_isinf(d)) {                                                          \
                c = copysign_(__builtin_isinf(c) ? 1 : 0, c);                                                        \
                d = copysign_(__builtin_isinf(d) ? 1 : 0, d);                                                        \
                if (__builtin_isnan(a)) a = copysign_(0, a);                                                         \
                if (__builtin_isnan(b)) b = copysign_(0, b);                                                         \
                again = 1;                                                                                           \
            }                                                                                                        \
            if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) { \
                if (__builtin_isnan(a)) a = copysign_(0, a);                                                         \
                if (__builtin_isnan(b)) b = copysign_(0, b);                                                         \
                if (__builtin_isnan(c)) c = copysign_(0, c);                                                         \
                if (__builtin_isnan(d)) d = copysign_(0, d);                                                         \
                again = 1;                                                                                           \
            }                                                                                                        \
            if (again) {                                                                                             \
                x = infinity * (a * c - b * d);                                                                      \
                y = infinity * (a * d + b * c);                                                                      \
            }                                                                                                        \
        }                                                                                                            \
        return __builtin_complex(x, y);                                                                              \
    }

PRODUCT(__muldc3, double, __builtin_copysign, __builtin_inf())
PRODUCT(__mulsc3, float, __builtin_copysignf, __builtin_inff())
