/** The mark that the commit of a last resource leaves, where its endpoint keeps marks. Spec: transactions.md §2, §7. */
import { isJsonObject, parseJson } from '../../../proto/json.ts';
import { ONCE_KEPT_MS, type OnceMark } from '../../../proto/once.ts';
import { markOf } from '../../idempotency/mark.ts';
import type { Settings } from '../../settings.ts';
import { RelayBackend } from '../backend/relay.ts';
import type { Participant } from './participants.ts';

/** Marks are asked no later than so many milliseconds after their transaction began: then they may be gone. Spec silent. */
const ASKED_FOR_MS = ONCE_KEPT_MS - 24 * 3_600_000;
/** Stands for the body: a transaction writes once on its last resource. */
const BODY = new TextEncoder().encode('commit');
/** What kept texts with a place begin with. */
const WITH_PLACE = '{"once":';

/** Whose it is. */
interface MarkOwner {
  readonly settings: Settings;
  readonly orgUuid: string;
  readonly sealedDataKey: string;
}

/** The mark of a transaction on an endpoint. @param place where its backend keeps it */
export async function deciderMark(
  owner: MarkOwner,
  endpoint: string,
  id: string,
  place: string,
): Promise<OnceMark> {
  const write = { endpoint, what: ['transaction', id], body: BODY };
  return { ...(await markOf(owner, write, place)), settled: true };
}

/** Where a participant's backend keeps marks; undefined where it keeps none. */
export function markPlaceOf({ endpoint, backend }: Participant): string | undefined {
  return backend instanceof RelayBackend ? (endpoint.row.oncePlace ?? undefined) : undefined;
}

/** The mark that a participant's commit leaves; undefined where its backend keeps none. @param id the transaction's */
export async function markLeftBy(
  decider: Participant,
  id: string,
  { settings }: Pick<MarkOwner, 'settings'>,
): Promise<OnceMark | undefined> {
  const place = markPlaceOf(decider);
  if (place === undefined) return undefined;
  const { row, policy } = decider.endpoint;
  const owner = { settings, orgUuid: row.orgUuid, sealedDataKey: policy.sealedDataKey };
  return deciderMark(owner, row.uuid, id, place);
}

/** What the log keeps of the one that decides. */
export function recoveryWith(place: string | undefined, recovery: string): string {
  return place === undefined ? recovery : JSON.stringify({ once: place, recovery });
}

/** What `recoveryWith` wrote. */
export function readRecovery(kept: string): {
  readonly place?: string;
  readonly recovery: string;
} {
  if (!kept.startsWith(WITH_PLACE)) return { recovery: kept };
  const value = parseJson(kept);
  if (!isJsonObject(value)) return { recovery: kept };
  const { once: place, recovery } = value;
  if (typeof place !== 'string' || typeof recovery !== 'string') return { recovery: kept };
  return { place, recovery };
}

/** Whether the mark of a transaction that began then may be gone. @param started Unix epoch milliseconds, as `now` */
export function mayBeGone(started: number, now: number): boolean {
  return now - started > ASKED_FOR_MS;
}
