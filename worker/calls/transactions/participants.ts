/** The endpoints that take part in a transaction: which can be prepared, and what all together can promise. Spec: transactions.md §2. */
import { type Kind, kindSpec } from '../../../kinds/index.ts';
import { badRequest, type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { LruMap } from '../../../proto/lru-map.ts';
import type { Isolation } from '../../../proto/prepares.ts';
import type { Context } from '../../context.ts';
import type { Deadline } from '../../drivers/deadline.ts';
import type { Endpoint } from '../../endpoints/access.ts';
import type { Backend } from '../backend/backend.ts';
import { backendOf } from '../backend/choose.ts';
import { RelayBackend } from '../backend/relay.ts';
import { type Lacks, Shares } from '../backend/shares.ts';
import type { Guarantee, NewShare, Part } from './object.ts';
import { type Operation, takesReferences } from './plan.ts';

/** How operations reach a participant. */
type Way =
  /** As a share, on a connection of its own at a relay. */
  | 'joins'
  /** Together, in one call that commits: from the edge over HTTP. */
  | 'transacts'
  /** Each as a request of its own: the backend has no transactions that reach beyond one. */
  | 'plain';

/** An endpoint that takes part. */
export interface Participant {
  /** From 0, in the order of first use. */
  readonly n: number;
  readonly endpoint: Endpoint;
  readonly way: Way;
  readonly backend: Backend;
  /** Of one that joins. */
  readonly shares: Shares | undefined;
  readonly operations: readonly Operation[];
  /** Whether it may write. */
  readonly writes: boolean;
  readonly part: Part;
}

/** All of them. */
export interface Participants {
  readonly all: readonly Participant[];
  readonly guarantee: Guarantee;
}

/** Milliseconds for which a server that can prepare is taken to be able to. */
const ABLE_FOR_MS = 60_000;
/** When servers were found to be able to prepare, by their pools. */
const able = new LruMap<string, number>(10_000);

/** The server could not prepare after all: it is asked again. */
export function forgetAble({ target }: Backend): void {
  able.delete(target.poolKey);
}

/** How operations reach an endpoint. */
export function wayOf(backend: Backend, kind: Kind): Way {
  if (backend instanceof RelayBackend) return takesReferences(kind) ? 'joins' : 'plain';
  return takesReferences(kind) ? 'transacts' : 'plain';
}

/**
 * Finds out who takes part, and as what.
 * @throws GatewayError BAD_REQUEST naming the operation or the endpoint, and what calls may end in
 */
export async function participantsOf(
  ctx: Context,
  operations: readonly Operation[],
  terms: { readonly isolation?: Isolation | undefined; readonly require?: 'atomic' | undefined },
  deadline: Deadline,
): Promise<Participants> {
  const groups = [...Map.groupBy(operations, ({ endpoint }) => endpoint.row.uuid).values()];
  const found = await Promise.all(
    groups.map(async (own, n) => {
      const [{ endpoint } = { endpoint: undefined }] = own;
      if (!endpoint) throw new GatewayError('INTERNAL', 'A participant has no operations');
      const backend = await backendOf(ctx, endpoint, 'write');
      const way = wayOf(backend, endpoint.row.kind);
      const writes = own.some(({ mode }) => mode !== 'read');
      if (way === 'transacts' && terms.isolation) throw noIsolationOver(endpoint, terms.isolation);
      if (way !== 'joins') refuseMore(own, operations, way);
      const shares =
        backend instanceof RelayBackend && way === 'joins' ? new Shares(backend) : undefined;
      const lacks = writes ? await lacksOf(ctx, backend, shares, deadline) : [];
      return { n, endpoint, way, backend, shares, operations: own, writes, lacks };
    }),
  );
  const unable = found.filter(({ lacks }) => lacks.length > 0);
  const writing = found.filter(({ writes }) => writes).length;
  if (unable.length > 1)
    throw cannotPrepare(unable, 'at most one that writes and cannot prepare takes part');
  const guarantee = unable.length === 1 && writing > 1 ? 'last-resource' : 'atomic';
  if (guarantee === 'last-resource' && terms.require === 'atomic') {
    throw cannotPrepare(unable, 'require is atomic');
  }
  const all = found.map(({ lacks, ...each }) => ({ ...each, part: partOf(each.writes, lacks) }));
  return { all, guarantee };
}

/** What a participant does that lacks this to be prepared. */
export function partOf(writes: boolean, lacks: readonly string[]): Part {
  if (!writes) return 'reads';
  return lacks.length > 0 ? 'decides' : 'prepares';
}

/** What a participant that writes lacks to be prepared. */
export async function lacksOf(
  ctx: Context,
  backend: Backend,
  shares: Shares | undefined,
  deadline: Deadline,
): Promise<readonly string[]> {
  const { kind, poolKey } = backend.target;
  const { label } = kindSpec(kind);
  if (!shares)
    return [
      `a way to prepare: ${label} ${backend instanceof RelayBackend ? '' : 'over HTTP '}has none`,
    ];
  const since = able.get(poolKey);
  if (since !== undefined && ctx.now() - since < ABLE_FOR_MS) return [];
  const { lacks, joins }: Lacks = await shares.lacks(deadline);
  if (!joins)
    throw new GatewayError('NOT_SUPPORTED', `${label} takes no part in transactions here`);
  if (lacks.length === 0) able.set(poolKey, ctx.now());
  return lacks;
}

type Unable = Pick<Participant, 'endpoint'> & { readonly lacks: readonly string[] };

function cannotPrepare(unable: readonly Unable[], why: string): GatewayError {
  const details = unable.map(
    ({ endpoint: { row }, lacks }): ErrorDetails => ({
      ...{ path: 'operations', message: `endpoint ${row.id} lacks ${lacks.join('; ')}` },
    }),
  );
  const named = unable.map(({ endpoint: { row }, lacks }) => `${row.id} lacks ${lacks.join('; ')}`);
  return new GatewayError('BAD_REQUEST', `${why}: ${named.join(', ')}`, { details });
}

/** A level that an endpoint cannot give. */
function noIsolationOver({ row }: Endpoint, isolation: Isolation): GatewayError {
  const problem = `${isolation} cannot be had on endpoint ${row.id}, which is reached over HTTP`;
  return badRequest('isolation', problem);
}

/** One write at most, last on its endpoint, whose result feeds nothing. @throws GatewayError BAD_REQUEST naming the operation */
function refuseMore(own: readonly Operation[], all: readonly Operation[], way: Way): void {
  const written = own.filter(({ mode }) => mode !== 'read');
  const [first] = written;
  if (!first) return;
  const { id, kind } = first.endpoint.row;
  const { label } = kindSpec(kind);
  const refuse = ({ place }: Operation, problem: string) =>
    new GatewayError('BAD_REQUEST', `operations.${place}: ${problem}`, {
      details: [{ path: `operations.${place}`, message: problem, operation: place }],
    });
  const ofIt = new Set((way === 'plain' ? [first] : own).map(({ place }) => place));
  const user = all.find(({ uses, endpoint }) =>
    way === 'transacts' && endpoint.row.uuid === first.endpoint.row.uuid
      ? false
      : !uses.isDisjointFrom(ofIt),
  );
  if (user)
    throw refuse(user, `uses the result of endpoint ${id}, whose write is sent last of all`);
  if (way === 'transacts') return;
  const [, second] = written;
  if (second) {
    throw refuse(
      second,
      `is a second write on endpoint ${id}: ${label} takes one in a transaction`,
    );
  }
  const after = own.find(({ mode, place }) => mode === 'read' && place > first.place);
  if (after)
    throw refuse(after, `reads on endpoint ${id} after its write, which is sent last of all`);
}

/** A participant as the log keeps it. */
export function shareOf({
  n,
  endpoint,
  part,
}: Pick<Participant, 'n' | 'endpoint' | 'part'>): NewShare {
  const { row, placements, nodes } = endpoint;
  return {
    ...{ n, endpoint: row.uuid, id: row.id, kind: kindSpec(row.kind).label, part },
    revision: row.poolRevision,
    snapshot: JSON.stringify({ row, placements, nodes }),
  };
}
