/** Every event is an entry of its own, whatever its request calls itself: random events, some at once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { basic, givePassword, PASSWORD } from '../test/accounts.ts';
import { entriesOf } from '../test/audit.ts';
import { startGateway } from '../test/gateway.ts';
import { TIMES } from '../test/runs.ts';

/** Milliseconds after which it hangs: nothing is judged by it. */
const LONGEST_MS = 600_000 * TIMES;
/** What is done, and what its entry reports: action and outcome. */
const DONE = {
  login: 'auth.login success',
  'wrong login': 'auth.login failed',
  create: 'user.create success',
  describe: 'user.update success',
  'denied read': 'audit.get denied',
} as const;
type What = keyof typeof DONE;

const event = fc.record({
  what: fc.constantFrom<What>('login', 'login', 'wrong login', 'create', 'describe', 'denied read'),
  requestId: fc.option(fc.constantFrom('same', 'same', 'other', '-')),
});

/** A gateway on which each of the events can be done. */
async function start() {
  const gateway = await startGateway('SuperAdmin');
  const reader = await gateway.addUser('Read');
  await givePassword(gateway.user);
  const owner = { Authorization: `Bearer ${await gateway.token()}` };
  const denied = { Authorization: `Bearer ${await gateway.token(reader)}` };
  const json = { 'Content-Type': 'application/json' };
  const login = (password: string) => ({
    Authorization: basic(gateway.user.username, password),
    'X-Org-Id': gateway.organization.id,
  });
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    gateway.send(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const doing: Record<What, (named: Record<string, string>) => Promise<Response>> = {
    login: (named) => send('POST', '/auth/login', { ...login(PASSWORD), ...named }),
    'wrong login': (named) => send('POST', '/auth/login', { ...login('guessed'), ...named }),
    create: (named) =>
      send(
        'POST',
        '/iam/users',
        { ...owner, ...json, ...named },
        { username: crypto.randomUUID().slice(1) },
      ),
    describe: (named) =>
      send(
        'PATCH',
        `/iam/users/${reader.uuid}`,
        { ...owner, ...json, ...named },
        { description: 'x' },
      ),
    'denied read': (named) => send('GET', '/audit', { ...denied, ...named }),
  };
  return { gateway, doing };
}

test(
  'N events are N entries, or repeats that are counted of what was refused',
  async () => {
    const events = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), {
      minLength: 16,
      maxLength: 24,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(events, async (rounds) => {
        const { gateway, doing } = await start();
        for (const round of rounds) {
          await Promise.all(
            round.map(({ what, requestId }) =>
              doing[what](requestId === null ? {} : { 'X-Request-Id': requestId }),
            ),
          );
          gateway.clock.now += 10;
        }
        await gateway.settle();
        const promised = rounds.flat().map(({ what }) => DONE[what]);
        const entries = await entriesOf(gateway.organization.uuid);
        const told = entries.flatMap(({ action, outcome, repeats }) =>
          Array.from({ length: outcome === 'success' ? 1 : repeats }, () => `${action} ${outcome}`),
        );
        expect(told.sort()).toEqual(promised.sort());
        const merged = entries.filter(
          ({ outcome, repeats }) => outcome === 'success' && repeats !== 1,
        );
        expect(merged).toEqual([]);
      }),
      { numRuns: TIMES, endOnFailure: true },
    );
  },
  LONGEST_MS,
);
