/* A pump that empties a tank. A level above HIGH is an alarm, and every alarm must be answered: the pump runs, or the
 * valve closes. The controller reads the level four times and then stops. */

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
    //@ ltl invariant rests: F G "pump == 0";
    for (int turn = 0; turn < 4; turn++) {
        level = __VERIFIER_nondet_int();
        alarm = level >= HIGH;
        if (alarm)
            answer();
        else if (level < LOW)
            pump = 0;
    }
}
