/* A pump that empties a tank. A level of HIGH or more is an alarm, and every alarm must be answered: the pump runs, or the
 * valve closes. */

extern int __VERIFIER_nondet_int(void);

enum { LOW = 20, HIGH = 80 };

int level, alarm, pump, valve = 1;

static void answer(void)
{
    if (level > HIGH)
        pump = 1;
    else if (level > HIGH + 10) /* too late: this is never reached */
        valve = 0;
}

int main(void)
{
    //@ ltl invariant answered: G("alarm" -> F("pump" || "!valve"));
    while (1) {
        level = __VERIFIER_nondet_int();
        alarm = level >= HIGH;
        if (alarm)
            answer();
        else if (level < LOW)
            pump = 0;
    }
}
