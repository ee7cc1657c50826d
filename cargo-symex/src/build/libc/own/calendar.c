/*
 * Dates. Local time is UTC, which a path that asks for it says; the rest does not depend on anything. glibc calls the zone
 * of `gmtime` GMT, and works out the day of the week where it reads a date.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "symex_own.h"

/* musl's. */
int __secs_to_tm(long long, struct tm *);
long long __tm_to_secs(const struct tm *);

char *tzname[2] = {"UTC", "UTC"};
char *__tzname[2] = {"UTC", "UTC"};
long timezone, __timezone;
int daylight, __daylight;

static void local_time(void)
{
    const char *zone = getenv("TZ");
    if (zone && *zone && strcmp(zone, "UTC") && strcmp(zone, "UTC0"))
        __symex_libc_gap("the time zone of the variable TZ");
    __symex_libc_assume("local time was taken to be UTC");
}

static struct tm *split(const time_t *time, struct tm *to, const char *zone)
{
    if (__secs_to_tm(*time, to) < 0) {
        errno = EOVERFLOW;
        return 0;
    }
    to->tm_isdst = 0;
    to->tm_gmtoff = 0;
    to->tm_zone = zone;
    return to;
}

struct tm *gmtime_r(const time_t *restrict time, struct tm *restrict to)
{
    return split(time, to, "GMT");
}

struct tm *localtime_r(const time_t *restrict time, struct tm *restrict to)
{
    local_time();
    return split(time, to, "UTC");
}

static struct tm the_date;

struct tm *gmtime(const time_t *time)
{
    return gmtime_r(time, &the_date);
}

struct tm *localtime(const time_t *time)
{
    return localtime_r(time, &the_date);
}

static time_t join(struct tm *date, const char *zone)
{
    struct tm normal;
    /* musl reads no more of it than the date and the time of day. */
    time_t time = __tm_to_secs(date);
    if (!split(&time, &normal, zone)) return -1;
    *date = normal;
    return time;
}

time_t timegm(struct tm *date)
{
    return join(date, "GMT");
}

time_t mktime(struct tm *date)
{
    local_time();
    if (date->tm_isdst > 0) __symex_libc_gap("a date in summer time where there is none");
    return join(date, "UTC");
}

double difftime(time_t later, time_t earlier)
{
    return (double)(later - earlier);
}

static const char days[7][10] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char months[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                    "July",    "August",   "September", "October", "November", "December"};

char *asctime_r(const struct tm *restrict date, char *restrict to)
{
    if (date->tm_year > INT_MAX - 1900) {
        errno = EOVERFLOW;
        return 0;
    }
    const char *day = (unsigned)date->tm_wday < 7 ? days[date->tm_wday] : "???";
    const char *month = (unsigned)date->tm_mon < 12 ? months[date->tm_mon] : "???";
    int length = snprintf(to, 26, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", day, month, date->tm_mday, date->tm_hour,
                          date->tm_min, date->tm_sec, 1900 + date->tm_year);
    if (length >= 26) {
        errno = EOVERFLOW;
        return 0;
    }
    return to;
}

char *asctime(const struct tm *date)
{
    static char text[26];
    return asctime_r(date, text);
}

char *ctime_r(const time_t *time, char *to)
{
    struct tm date;
    return localtime_r(time, &date) ? asctime_r(&date, to) : 0;
}

char *ctime(const time_t *time)
{
    struct tm *date = localtime(time);
    return date ? asctime(date) : 0;
}

static int is_leap(long long year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days since the Monday of the first week of a year of ISO 8601; negative before it. */
static int iso_week_day(int day_of_year, int day_of_week)
{
    return day_of_year - (day_of_year - day_of_week + 4 + 3 * 7) % 7 + 4 - 1;
}

static const char *name_or_mark(const char (*names)[10], int number, int count)
{
    return (unsigned)number < (unsigned)count ? names[number] : "?";
}

/* Writes what a conversion stands for, at most `size` bytes with the end, and says how many there would be. */
static size_t convert(char *to, size_t size, char conversion, const struct tm *date)
{
    long long year = 1900LL + date->tm_year;
    int hour12 = date->tm_hour % 12 ? date->tm_hour % 12 : 12;
    switch (conversion) {
    case 'a': return snprintf(to, size, (unsigned)date->tm_wday < 7 ? "%.3s" : "%s", name_or_mark(days, date->tm_wday, 7));
    case 'A': return snprintf(to, size, "%s", name_or_mark(days, date->tm_wday, 7));
    case 'b':
    case 'h': return snprintf(to, size, (unsigned)date->tm_mon < 12 ? "%.3s" : "%s", name_or_mark(months, date->tm_mon, 12));
    case 'B': return snprintf(to, size, "%s", name_or_mark(months, date->tm_mon, 12));
    case 'c': return strftime(to, size, "%a %b %e %H:%M:%S %Y", date);
    case 'd': return snprintf(to, size, "%02d", date->tm_mday);
    case 'D':
    case 'x': return strftime(to, size, "%m/%d/%y", date);
    case 'e': return snprintf(to, size, "%2d", date->tm_mday);
    case 'F': return strftime(to, size, "%Y-%m-%d", date);
    case 'H': return snprintf(to, size, "%02d", date->tm_hour);
    case 'I': return snprintf(to, size, "%02d", hour12);
    case 'j': return snprintf(to, size, "%03d", date->tm_yday + 1);
    case 'k': return snprintf(to, size, "%2d", date->tm_hour);
    case 'l': return snprintf(to, size, "%2d", hour12);
    case 'm': return snprintf(to, size, "%02d", date->tm_mon + 1);
    case 'M': return snprintf(to, size, "%02d", date->tm_min);
    case 'n': return snprintf(to, size, "\n");
    case 'p': return snprintf(to, size, date->tm_hour > 11 ? "PM" : "AM");
    case 'P': return snprintf(to, size, date->tm_hour > 11 ? "pm" : "am");
    case 'r': return strftime(to, size, "%I:%M:%S %p", date);
    case 'R': return strftime(to, size, "%H:%M", date);
    case 's': {
        struct tm copy = *date;
        return snprintf(to, size, "%lld", (long long)mktime(&copy));
    }
    case 'S': return snprintf(to, size, "%02d", date->tm_sec);
    case 't': return snprintf(to, size, "\t");
    case 'T':
    case 'X': return strftime(to, size, "%H:%M:%S", date);
    case 'u': return snprintf(to, size, "%d", (date->tm_wday + 6) % 7 + 1);
    case 'U': return snprintf(to, size, "%02d", (date->tm_yday - date->tm_wday + 7) / 7);
    case 'w': return snprintf(to, size, "%d", date->tm_wday);
    case 'W': return snprintf(to, size, "%02d", (date->tm_yday - (date->tm_wday + 6) % 7 + 7) / 7);
    case 'V':
    case 'g':
    case 'G': {
        int since = iso_week_day(date->tm_yday, date->tm_wday);
        if (since < 0) {
            --year;
            since = iso_week_day(date->tm_yday + 365 + is_leap(year), date->tm_wday);
        } else {
            int next = iso_week_day(date->tm_yday - 365 - is_leap(year), date->tm_wday);
            if (next >= 0) ++year, since = next;
        }
        if (conversion == 'V') return snprintf(to, size, "%02d", since / 7 + 1);
        if (conversion == 'g') return snprintf(to, size, "%02d", (int)((year % 100 + 100) % 100));
        return snprintf(to, size, "%lld", year);
    }
    case 'C':
    case 'y':
    case 'Y':
        if (year < 0) __symex_libc_gap("strftime of a year before 0");
        /* Of how many digits it is, versions of glibc do not agree. */
        if (conversion == 'C' && year < 1000) __symex_libc_gap("strftime's %C of a year before 1000");
        if (conversion == 'C') return snprintf(to, size, "%02lld", year / 100);
        if (conversion == 'y') return snprintf(to, size, "%02d", (int)(year % 100));
        return snprintf(to, size, "%lld", year);
    case 'z': {
        if (date->tm_isdst < 0) return 0;
        long minutes = date->tm_gmtoff / 60, size_of = minutes < 0 ? -minutes : minutes;
        return snprintf(to, size, "%c%02ld%02ld", minutes < 0 ? '-' : '+', size_of / 60, size_of % 60);
    }
    case 'Z': return snprintf(to, size, "%s", date->tm_zone ? date->tm_zone : "");
    case '%': return snprintf(to, size, "%%");
    default: __symex_libc_gap("a conversion of strftime with a flag, a width, or that is not known");
    }
}

size_t strftime(char *restrict to, size_t size, const char *restrict format, const struct tm *restrict date)
{
    size_t length = 0;
    for (; *format; ++format) {
        if (*format != '%') {
            if (length + 1 >= size) return 0;
            to[length++] = *format;
            continue;
        }
        char conversion = *++format;
        size_t room = size - length, more = convert(to + length, room, conversion, date);
        /* A conversion made of others says that it does not fit by writing nothing. */
        int nothing = more == 0 && strchr("cDxFrRTX", conversion);
        if (more >= room || nothing) return 0;
        length += more;
    }
    if (size == 0) return 0;
    to[length] = 0;
    return length;
}

/*
 * A number with a limited count of digits, after white space; -1 where there is none, or it is outside of the range. A digit that would
 * make it too large is left.
 */
static int number(const char **from, int digits, int least, int most)
{
    const char *at = *from;
    int value = 0;
    while (isspace((unsigned char)*at)) ++at;
    if (!isdigit((unsigned char)*at)) return -1;
    do value = 10 * value + *at++ - '0';
    while (--digits > 0 && 10 * value <= most && isdigit((unsigned char)*at));
    *from = at;
    return value >= least && value <= most ? value : -1;
}

/* Which of the names, whole or its first three letters, the text begins with. */
static int name(const char **from, const char (*names)[10], int count)
{
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(names[i]);
        if (strncasecmp(*from, names[i], length)) {
            length = 3;
            if (strncasecmp(*from, names[i], length)) continue;
        }
        *from += length;
        return i;
    }
    return -1;
}

/* What has been read that is no field of the date by itself. */
struct reading {
    int century, want_century, is_pm, hour12, have_weekday, want_weekday, have_day_of_year, have_month, have_day;
};

static const char *read_all(const char *, const char *, struct tm *, struct reading *);

/* Reads what one conversion stands for; null where the text is something else. */
static const char *read_one(const char *text, char conversion, struct tm *date, struct reading *r)
{
    int n;
    switch (conversion) {
    case '%': return *text == '%' ? text + 1 : 0;
    case 'a':
    case 'A':
        if ((n = name(&text, days, 7)) < 0) return 0;
        date->tm_wday = n;
        r->have_weekday = 1;
        return text;
    case 'b':
    case 'B':
    case 'h':
        if ((n = name(&text, months, 12)) < 0) return 0;
        date->tm_mon = n;
        r->have_month = r->want_weekday = 1;
        return text;
    case 'c':
        r->want_weekday = 1;
        return read_all(text, "%a %b %e %H:%M:%S %Y", date, r);
    case 'C':
        if ((n = number(&text, 2, 0, 99)) < 0) return 0;
        r->century = n;
        r->want_weekday = 1;
        return text;
    case 'd':
    case 'e':
        if ((n = number(&text, 2, 1, 31)) < 0) return 0;
        date->tm_mday = n;
        r->have_day = r->want_weekday = 1;
        return text;
    case 'x':
    case 'D':
        r->want_weekday = 1;
        return read_all(text, "%m/%d/%y", date, r);
    case 'F':
        r->want_weekday = 1;
        return read_all(text, "%Y-%m-%d", date, r);
    case 'k':
    case 'H':
        if ((n = number(&text, 2, 0, 23)) < 0) return 0;
        date->tm_hour = n;
        r->hour12 = 0;
        return text;
    case 'l':
    case 'I':
        if ((n = number(&text, 2, 1, 12)) < 0) return 0;
        date->tm_hour = n % 12;
        r->hour12 = 1;
        return text;
    case 'j':
        if ((n = number(&text, 3, 1, 366)) < 0) return 0;
        date->tm_yday = n - 1;
        r->have_day_of_year = 1;
        return text;
    case 'm':
        if ((n = number(&text, 2, 1, 12)) < 0) return 0;
        date->tm_mon = n - 1;
        r->have_month = r->want_weekday = 1;
        return text;
    case 'M':
        if ((n = number(&text, 2, 0, 59)) < 0) return 0;
        date->tm_min = n;
        return text;
    case 'n':
    case 't':
        while (isspace((unsigned char)*text)) ++text;
        return text;
    case 'p':
        if (!strncasecmp(text, "AM", 2)) r->is_pm = 0;
        else if (!strncasecmp(text, "PM", 2)) r->is_pm = 1;
        else return 0;
        return text + 2;
    case 'r': return read_all(text, "%I:%M:%S %p", date, r);
    case 'R': return read_all(text, "%H:%M", date, r);
    case 'S':
        if ((n = number(&text, 2, 0, 61)) < 0) return 0;
        date->tm_sec = n;
        return text;
    case 'X':
    case 'T': return read_all(text, "%H:%M:%S", date, r);
    case 'u':
        if ((n = number(&text, 1, 1, 7)) < 0) return 0;
        date->tm_wday = n % 7;
        r->have_weekday = 1;
        return text;
    case 'w':
        if ((n = number(&text, 1, 0, 6)) < 0) return 0;
        date->tm_wday = n;
        r->have_weekday = 1;
        return text;
    case 'y':
        if ((n = number(&text, 2, 0, 99)) < 0) return 0;
        date->tm_year = n >= 69 ? n : n + 100;
        r->want_century = r->want_weekday = 1;
        return text;
    case 'Y':
        if ((n = number(&text, 4, 0, 9999)) < 0) return 0;
        date->tm_year = n - 1900;
        r->want_century = 0;
        r->want_weekday = 1;
        return text;
    default: __symex_libc_gap("a conversion of strptime that is not known");
    }
}

static const char *read_all(const char *text, const char *format, struct tm *date, struct reading *r)
{
    for (; *format; ++format) {
        if (isspace((unsigned char)*format)) {
            while (isspace((unsigned char)*text)) ++text;
        } else if (*format != '%') {
            if (*text++ != *format) return 0;
        } else if (!(text = read_one(text, *++format, date, r))) {
            return 0;
        }
    }
    return text;
}

static int days_before(int month, int year)
{
    static const short before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    return before[month] + (month > 1 && is_leap(1900LL + year));
}

char *strptime(const char *restrict text, const char *restrict format, struct tm *restrict date)
{
    struct reading r = {.century = -1};
    text = read_all(text, format, date, &r);
    if (!text) return 0;
    if (r.hour12 && r.is_pm) date->tm_hour += 12;
    if (r.century != -1) {
        if (r.want_century) date->tm_year = date->tm_year % 100 + (r.century - 19) * 100;
        else date->tm_year = (r.century - 19) * 100;
    }
    if (r.want_weekday && date->tm_year <= -1900) __symex_libc_gap("strptime of a year before 1");
    if (r.want_weekday && !r.have_weekday) {
        if (!(r.have_month && r.have_day) && r.have_day_of_year) {
            if (date->tm_yday >= 365 + is_leap(1900LL + date->tm_year)) __symex_libc_gap("strptime of a day behind the year's last");
            int month = 0;
            while (month < 11 && days_before(month + 1, date->tm_year) <= date->tm_yday) ++month;
            if (!r.have_month) date->tm_mon = month;
            if (!r.have_day) date->tm_mday = date->tm_yday - days_before(month, date->tm_year) + 1;
            r.have_month = r.have_day = 1;
        }
        if ((unsigned)date->tm_mon < 12) {
            struct tm day = {.tm_year = date->tm_year, .tm_mon = date->tm_mon, .tm_mday = date->tm_mday};
            timegm(&day);
            date->tm_wday = day.tm_wday;
        }
    }
    if (r.want_weekday && !r.have_day_of_year && (unsigned)date->tm_mon < 12)
        date->tm_yday = days_before(date->tm_mon, date->tm_year) + date->tm_mday - 1;
    return (char *)text;
}
