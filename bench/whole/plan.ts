/** How `npm run bench` runs each measurement: small enough for all of them to take less than half an hour. */

/** One measurement of the whole run. */
export interface Planned {
  readonly name: string;
  readonly flags: readonly string[];
  /** Seconds after which it is ended, and told as one that did not end. */
  readonly secondsMax: number;
}

const planned = (name: string, flags: string, secondsMax: number): Planned => ({
  name,
  flags: flags === '' ? [] : flags.split(' '),
  secondsMax,
});

/** What matters most comes first. All limits together are less than half an hour. */
export const PLAN: readonly Planned[] = [
  planned('read', '--seconds 1', 80),
  planned('drivers', '--seconds 0.5', 240),
  planned('redis', '--seconds 0.5', 80),
  planned('peers', '--seconds 1', 120),
  planned('cold', '', 35),
  planned('workers', '', 50),
  planned('idle', '--many 1500', 170),
  planned('ladder', '--seconds 1', 100),
  planned('tunnel', '--seconds 1 --rounds 5', 80),
  planned('stream', '', 30),
  planned('access', '--seconds 1', 50),
  planned('transactions', '--rounds 5 --seconds 0.5', 75),
  planned('idempotency', '--calls 200', 20),
  planned('templates', '--rounds 5 --records 1,100 --seconds 0.5', 70),
  planned('expressions', '', 10),
  planned('bodies', '--rounds 5', 55),
  planned('workflows', '--rounds 5 --seconds 0.5', 100),
  planned('workflow-scale', '--runs 1000 --elements 2000 --waiting 300', 130),
  planned('events', '--events 1000 --seconds 6 --organizations 10', 80),
  planned('schedules', '--schedules 200 --seconds 3 --together 10', 75),
  planned('neighbour', '--only ^(logins|signed.deliveries)$ --seconds 2', 70),
  planned('start', '--rounds 1', 40),
  planned('walk', '--calls 2', 40),
];
