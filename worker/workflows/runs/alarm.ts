/** The alarm of an object, which the runtime may have lost although the object knows it. */

/** Sets it again, a millisecond later: the same time again would change nothing. Answers its time, if there is one. */
export async function setAlarmAnew(storage: DurableObjectStorage): Promise<number | undefined> {
  const before = await storage.getAlarm();
  if (before === null) return undefined;
  await storage.setAlarm(before + 1);
  // On disk before it is changed again: the runtime sees only what differs from there.
  await storage.sync();
  return before + 1;
}
