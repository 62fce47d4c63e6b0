/** The promises of every driver, kept against its real backend. A kind describes itself and passes them all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BackendClient, InspectedTable, Mode } from '../../proto/driver.ts';
import { GatewayError } from '../../proto/errors.ts';
import type { Json } from '../../proto/json.ts';
import { describeAbilities } from './contract-abilities.ts';
import { type ChangedCase, describeChanges } from './contract-changes.ts';
import { describeOnce, type OnceCase } from './contract-once.ts';
import { expectAbsent, given, type Lacks, partsBut } from './contract-parts.ts';
import { describeStrain, type Suite } from './contract-strain.ts';
import type { Driver } from './driver.ts';
import { callOf, jsonOf, openClient, testHost } from './test/host.ts';

/** One kind's words for what every kind can do. */
export interface DriverCase<Request> {
  readonly driver: Driver<Request>;
  /** Connections to a backend of the suite's own; `password` is in the right one. */
  readonly connections: {
    readonly right: Json;
    readonly wrongPassword: Json;
    readonly password: string;
  };
  /** Connections that cannot be read, with what is said of them. */
  readonly invalid: readonly { readonly connection: Json; readonly message: string | RegExp }[];
  /** Adds one entry of that name, and answers how many have it. */
  add(name: string): Request;
  count(name: string): Request;
  /** The number in a result of `count`. */
  counted(result: unknown): number;
  /** Takes half a minute unless it is stopped. */
  readonly slow: Request;
  /** The backend refuses it, with this code of its own. */
  readonly refused: { readonly request: Request; readonly code: string };
  /** Answers `count` rows of about 100 bytes. */
  rows(count: number): Request;
  /** The same, of a kilobyte or more: for the longest stream, where that has few rows. */
  heavyRows?(count: number): Request;
  /** Connections that the backend has open for the suite. */
  backendConnections(): Promise<number>;
  /** A change that a constraint forbids, with the backend's own code. Lacked by kinds without constraints. */
  readonly conflict?: { readonly request: Request; readonly code: string };
  /** How many of `slow` the server runs now. Lacked where the protocol cannot cancel, or the server cannot be asked. */
  running?(): Promise<number>;
  /** Ends the suite's connections at the server. Lacked where the server cannot be told to. */
  dropIdle?(): Promise<void>;
  /** `set` leaves something on its connection, and what `see` answers would show it. Lacked where connections hold nothing. */
  readonly state?: { readonly set: Request; readonly see: Request };
  /** Where entries are, of drivers that can inspect. */
  readonly table?: Pick<InspectedTable, 'namespace' | 'name' | 'type'>;
  /** What to subscribe to, what then causes an event, and members of that event; of drivers that can watch. */
  readonly events?: { readonly watch: Request; readonly cause: Request; readonly event: object };
  /** What reports its changes, of drivers that can. */
  readonly changed?: ChangedCase<Request>;
  /** What marks are tried with, of drivers that keep them. */
  readonly once?: OnceCase<Request>;
  /** Rows of the longest stream, 1,000,000 when left out: fewer where the backend makes none by itself. */
  readonly longest?: number;
}

/** What `describeDriver` is given. */
export type DriverContract<Request> = Parameters<typeof describeDriver<Request>>;

/**
 * Runs the suite; `start` makes the backend ready and `stop` ends what it made. Of what is in
 * `lacks` there are no tests; what is absent and not in it fails the suite.
 */
export function describeDriver<Request>(
  name: string,
  start: () => Promise<DriverCase<Request>>,
  stop: () => Promise<void>,
  lacks: Lacks = {},
): void {
  const parts = partsBut(lacks);
  describe(`the ${name} driver`, () => {
    let kind: DriverCase<Request>;
    const sessions: BackendClient<Request>[] = [];
    /** Connections before any session had one. */
    let bare = 0;

    async function open(
      mode: Mode,
      connection?: Json,
      connections = 4,
    ): Promise<BackendClient<Request>> {
      const opening = {
        connection: connection ?? kind.connections.right,
        mode,
        host: testHost(connections),
      };
      const session = await openClient(kind.driver, opening);
      sessions.push(session);
      return session;
    }

    async function count(session: BackendClient<Request>, entry: string): Promise<number> {
      return kind.counted(jsonOf(await session.run(kind.count(entry), callOf('read'))));
    }

    /** Connections that are open when no session of these tests has one any more. */
    async function connectionsOfOthers(): Promise<number> {
      await Promise.all(sessions.splice(0).map((session) => session.close()));
      await expect.poll(() => kind.backendConnections()).toBeLessThanOrEqual(bare);
      return kind.backendConnections();
    }

    beforeAll(async () => {
      kind = await start();
      bare = await kind.backendConnections();
    });
    afterAll(async () => {
      await Promise.all(sessions.map((session) => session.close()));
      await stop();
    });

    test('has all that it does not say it lacks', async () => {
      expectAbsent(lacks, kind, await open('write'));
    });

    test('keeps what a write changed, for everyone', async () => {
      const write = await open('write');
      await write.run(kind.add('kept'), callOf('write'));
      expect(await count(await open('read'), 'kept')).toBe(1);
    });

    test('changes nothing on a read', async () => {
      const read = await open('read');
      const failure = await failureOf(read.run(kind.add('smuggled'), callOf('read')));
      expect(failure).toMatchObject({ code: 'BAD_REQUEST' });
      expect(await count(read, 'smuggled')).toBe(0);
    });

    test("gives the backend's own code and words when it refuses a request, and goes on", async () => {
      const read = await open('read', undefined, 1);
      const failure = await failureOf(read.run(kind.refused.request, callOf('read')));
      expect(failure).toMatchObject({
        code: 'REQUEST_FAILED',
        details: [{ source: name, code: kind.refused.code, message: messageOf(failure) }],
      });
      expect(await count(read, 'nobody')).toBe(0);
    });

    parts.test(
      'conflict',
      "names a constraint that a change violates, by the backend's code and words",
      async () => {
        const conflict = given(kind.conflict, 'conflict');
        const write = await open('write');
        const failure = await failureOf(write.run(conflict.request, callOf('write')));
        expect(failure).toMatchObject({
          code: 'CONSTRAINT_VIOLATED',
          details: [{ source: name, code: conflict.code, message: messageOf(failure) }],
        });
      },
    );

    test('stops at the deadline and serves the next call', async () => {
      const read = await open('read', undefined, 1);
      const reason = new GatewayError('TIMED_OUT', 'The deadline passed');
      const started = performance.now();
      const failure = await failureOf(
        read.run(kind.slow, callOf('read', { signal: after(150, reason) })),
      );
      expect(failure).toBe(reason);
      // Well before the backend is through, also where the machine is busy.
      expect(performance.now() - started).toBeLessThan(12_000);
      expect(await count(read, 'nobody')).toBe(0);
    });

    test('refuses a result over the limit and serves the next call', async () => {
      const read = await open('read', undefined, 1);
      const failure = await failureOf(
        read.run(kind.rows(1_000), callOf('read', { resultMaxBytes: 5_000 })),
      );
      expect(failure).toMatchObject({ code: 'RESULT_TOO_LARGE' });
      expect(await count(read, 'nobody')).toBe(0);
    });

    test('serves many calls over few connections', async () => {
      const read = await open('read', undefined, 2);
      const counts = await Promise.all(Array.from({ length: 50 }, () => count(read, 'nobody')));
      expect(new Set(counts)).toEqual(new Set([0]));
      expect(await kind.backendConnections()).toBeGreaterThan(0);
    });

    test('measures a round trip', async () => {
      const milliseconds = await (await open('read')).ping(callOf('read'));
      expect(milliseconds).toBeGreaterThan(0);
      expect(milliseconds).toBeLessThan(30_000);
    });

    test.each(['wrong password', 'nobody listens', 'a name that resolves to nothing'])(
      'cannot connect: %s, and says so without address or credential',
      async (cause) => {
        const session = await open('read', failing(kind, cause));
        const failure = await failureOf(session.run(kind.count('x'), callOf('read')));
        expect(failure).toMatchObject({ code: 'CONNECTION_FAILED', details: [] });
        const said = (failure as Error).message;
        expect(said).toMatch(/^Unable to connect to database: \S/);
        for (const secret of [kind.connections.password, '127.0.0.1', 'wrong.invalid', '::1']) {
          expect(said).not.toContain(secret);
        }
      },
    );

    test('refuses configurations that it cannot read', async () => {
      for (const { connection, message } of kind.invalid) {
        const failure = await failureOf(openClient(kind.driver, { connection, mode: 'read' }));
        expect(failure).toMatchObject({
          code: 'INVALID_CONFIGURATION',
          message: typeof message === 'string' ? message : expect.stringMatching(message),
        });
      }
    });

    const suite: Suite<Request> = {
      kind: () => kind,
      parts,
      open: (mode, connections) => open(mode, undefined, connections),
      count,
      connectionsOfOthers,
    };
    describeAbilities(suite);
    describeChanges(suite);
    describeOnce(suite);
    describeStrain(suite);

    test('closes its connections', async () => {
      const others = await connectionsOfOthers();
      const session = await open('read');
      await count(session, 'nobody');
      expect(await kind.backendConnections()).toBe(others + 1);
      await session.close();
      await expect.poll(() => kind.backendConnections()).toBe(others);
    });
  });
}

/** What a promise fails with; a promise that holds is a failure of the test. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (failure) {
    return failure;
  }
  throw new Error('It did not fail');
}

/** What a failure says; undefined, which equals no text of a detail, when it says nothing. */
function messageOf(failure: unknown): unknown {
  return failure instanceof Error && failure.message !== '' ? failure.message : undefined;
}

/** A signal that aborts after `ms` milliseconds. */
export function after(milliseconds: number, reason: unknown): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), milliseconds);
  return controller.signal;
}

function failing(kind: DriverCase<unknown>, cause: string): Json {
  const { right, wrongPassword } = kind.connections;
  if (cause === 'wrong password') return wrongPassword;
  const url = new URL((right as { url: string }).url);
  // Nothing listens on port 1, and .invalid resolves nowhere by RFC 2606.
  if (cause === 'nobody listens') url.port = '1';
  else url.hostname = 'wrong.invalid';
  return { url: url.href };
}
