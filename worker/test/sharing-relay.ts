/** A relay in memory that takes part in transactions: it keeps what is prepared, and answers each operation with its text. */
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { pointIn, resolveReferences } from '../../kinds/result-references.ts';
import type { RelayService, Share, Target } from '../../proto/gen/relay/v1/relay_pb.ts';
import type { Json } from '../../proto/json.ts';
import { bytes, text, told } from './running.ts';

/** What the test may see and change. */
interface Sharing {
  readonly methods: Partial<ServiceImpl<typeof RelayService>>;
  /** Calls in their order: method and number of the participant, or its endpoint's database. */
  readonly calls: string[];
  /** Names of prepared shares, with their database. */
  readonly prepared: Map<string, string>;
  /** Shares that go on, by their sessions. */
  readonly open: Map<string, { name: string; onlyRead: boolean }>;
  /** Names of shares that have committed. */
  readonly committed: Set<string>;
  /** Databases that cannot prepare, with why. */
  readonly lacks: Map<string, string>;
  /** Messages with several calls: the method and their number. A relay of an earlier version knows none. */
  readonly messages: string[];
  isOld: boolean;
  /** Called before each method does its work; what it throws is what the method ends in. */
  before: (method: string, share: string) => void | Promise<void>;
}

/** @returns a relay; an operation whose query says `fail` is refused, one that says `select` reads */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a method of the relay each, on state that they share.
export function sharingRelay(): Sharing {
  const around = {
    ping: () => ({ latencyUs: 100n }),
    status: () => ({}),
    release: () => ({}),
    waits: () => ({ shown: false, waits: [] }),
  };
  const calls: string[] = [];
  const prepared = new Map<string, string>();
  const committed = new Set<string>();
  const open = new Map<string, { name: string; onlyRead: boolean }>();
  const lacks = new Map<string, string>();
  const messages: string[] = [];
  const sharing: Sharing = {
    ...{ calls, prepared, open, committed, lacks, messages, isOld: false, before: () => {} },
    methods: {
      ...around,
      prepareTogether: ({ calls: given }, context) =>
        together('prepare', requestsOf(given), (each) => singly.prepare(each, context)),
      commitTogether: ({ calls: given }, context) =>
        together('commit', requestsOf(given), (each) => singly.commit(each, context)),
      async lacks({ target }) {
        const lack = lacks.get(databaseOf(target));
        return {
          joins: true,
          lacks: lack === undefined ? [] : [{ code: 'version', message: lack }],
        };
      },
      async prepare({ target, transactionId, sessionId, share }) {
        const name = sessionId === '' ? transactionId : (open.get(sessionId)?.name ?? '');
        await at('prepare', name);
        if (name === '') throw told(Code.NotFound, 'SESSION_NOT_FOUND', 'no such share');
        const performed = perform(share, open.get(sessionId)?.onlyRead ?? true);
        open.delete(sessionId);
        if (!performed.onlyRead) prepared.set(name, databaseOf(target));
        return { performed, prepared: !performed.onlyRead, recovery: `mark ${name}` };
      },
      async begin({ transactionId, share }) {
        await at('begin', transactionId);
        const performed = perform(share, true);
        const sessionId = `session-of-${transactionId}`;
        open.set(sessionId, { name: transactionId, onlyRead: performed.onlyRead });
        return { sessionId, expiresMs: 0n, performed: { ...performed, recovery: 'mark' } };
      },
      async continue({ sessionId, share }) {
        const known = open.get(sessionId);
        if (!known) throw told(Code.NotFound, 'SESSION_NOT_FOUND', 'no such share');
        await at('continue', known.name);
        const performed = performIn(sessionId, share, known.onlyRead);
        known.onlyRead = performed.onlyRead;
        return { performed };
      },
      async commit({ transactionId, sessionId }) {
        const name = sessionId === '' ? transactionId : (open.get(sessionId)?.name ?? '');
        await at('commit', name);
        const found = prepared.delete(name) || open.delete(sessionId);
        if (found) committed.add(name);
        return { found, status: committed.has(name) ? 'committed' : 'unknown' };
      },
      async commitMarked({ sessionId, mark }) {
        const name = open.get(sessionId)?.name ?? '';
        await at('commitMarked', name);
        if (mark?.settled !== true || !open.delete(sessionId)) {
          throw told(Code.NotFound, 'SESSION_NOT_FOUND', 'no such share');
        }
        committed.add(name);
        return {};
      },
      async rollback({ transactionId, sessionId }) {
        const name = sessionId === '' ? transactionId : (open.get(sessionId)?.name ?? '');
        await at('rollback', name);
        const found = sessionId === '' ? prepared.delete(name) : open.delete(sessionId);
        const unfound = committed.has(name) ? 'committed' : 'unknown';
        return { found, status: found ? 'rolled_back' : unfound };
      },
      async settle() {
        await at('settle', '');
        return { status: 'committed' };
      },
      async recover({ prefix }) {
        const names = [...prepared.keys()].filter((name) => name.startsWith(prefix));
        return { shares: names.map((transactionId) => ({ transactionId, owner: '' })) };
      },
    },
  };

  const singly = sharing.methods as ServiceImpl<typeof RelayService>; // Those that are used are there.

  async function together<Request, Reply>(
    method: string,
    given: readonly Request[],
    run: (request: Request) => Reply | Promise<Reply>,
  ) {
    messages.push(`${method} ${given.length}`);
    if (sharing.isOld) throw new ConnectError('no such method', Code.Unimplemented);
    await sharing.before(`${method}Together`, '');
    const replies: ({ call: number; response: Reply } | { call: number; failure: object })[] = [];
    const each = async (request: Request, call: number) => {
      try {
        replies.push({ call, response: await run(request) });
      } catch (cause) {
        const failure = { error: errorToJsonBytes(ConnectError.from(cause), undefined) };
        replies.push({ call, failure });
      }
    };
    await Promise.all(given.map(each));
    await sharing.before(`${method}Together done`, '');
    return { replies };
  }

  /** One that fails ends its session. */
  function performIn(sessionId: string, share: Share | undefined, onlyRead: boolean) {
    try {
      return perform(share, onlyRead);
    } catch (thrown) {
      open.delete(sessionId);
      throw thrown;
    }
  }

  async function at(method: string, name: string): Promise<void> {
    const share = name.split('_').at(-1) ?? '';
    calls.push(`${method} ${share}`);
    await sharing.before(method, share);
  }

  return sharing;
}

function requestsOf<Call extends { readonly request?: object | undefined }>(
  calls: readonly Call[],
): NonNullable<Call['request']>[] {
  return calls.flatMap(({ request }) => request ?? []);
}

/** Tests set what a database lacks by its endpoint's UUID. */
function databaseOf(target: Target | undefined): string {
  return target?.endpoint ?? '';
}

interface Sent {
  readonly query: string;
  readonly params?: Json;
}

function perform(share: Share | undefined, soFar: boolean) {
  const operations = text(share?.operations ?? new Uint8Array());
  const requests = operations === '' ? [] : (JSON.parse(operations) as Sent[]);
  const given = text(share?.earlier ?? new Uint8Array());
  const earlier = new Map(
    Object.entries(given === '' ? {} : (JSON.parse(given) as Record<string, Json>)),
  );
  const results = requests.map(({ query, params = [] }, at) => {
    const place = share?.places[at] ?? at;
    if (query.includes('fail')) {
      const details = [
        { source: 'postgres', code: '42P01', message: 'no such table', operation: place },
      ];
      throw told(Code.InvalidArgument, 'REQUEST_FAILED', 'no such table', details);
    }
    const values = resolveReferences(
      params,
      pointIn((each) => earlier.get(`${each}`)),
      'unwrapped',
    );
    const result = { rows: [{ said: query, values }] };
    earlier.set(`${place}`, result);
    return result;
  });
  const onlyRead = soFar && requests.every(({ query }) => query.startsWith('select'));
  return { results: bytes(JSON.stringify(results)), onlyRead, backendUs: 1n };
}
