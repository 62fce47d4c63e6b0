/** What is done besides following: what nobody wants is dropped, a log that grows is told, our own events are appended. */
import { isJsonObject, type Json } from '../../proto/json.ts';
import { changesOf } from '../calls/backend/choose.ts';
import { databaseOf } from '../context.ts';
import { loggedFault } from '../db/fault.ts';
import { openConfig, serving } from '../endpoints/config.ts';
import { log } from '../log.ts';
import { profileOf } from '../nodes/choose.ts';
import type { Drop } from './changes-store.ts';
import { type ChangesContext, contextOf, endpointOf } from './context.ts';
import { type KeptEndpoint, noteDegraded } from './store.ts';

/** Bytes of log that a backend may keep for an endpoint. Spec: workflows.md §5 */
const LOG_MAX = 1024 ** 3;
/** Milliseconds until a drop that failed is tried again: doubled each time. */
const AGAIN = { first: 1_000, most: 600_000 };

/** Drops what is due of what nobody wants; what fails is tried again. */
export async function dropUnwanted(around: ChangesContext): Promise<void> {
  const now = Date.now();
  for (const drop of around.kept.drops()) {
    if (drop.at <= now) await dropOne(around, drop);
    else around.arm(drop.at);
  }
}

async function dropOne(
  around: ChangesContext,
  { id, endpoint, tries, until }: Drop,
): Promise<void> {
  const { kept } = around;
  try {
    const ctx = contextOf(around);
    const changes = await changesOf(ctx, endpointOf(ctx, around.owner(), endpoint));
    await changes.drop();
    kept.dropped(id);
  } catch (thrown) {
    const now = Date.now();
    const told = { endpoint: endpoint.row.uuid, ...loggedFault(thrown) };
    if (now > until) {
      log('error', 'what a server keeps for changes of data could not be dropped', told);
      return kept.dropped(id);
    }
    const wait = Math.min(AGAIN.most, AGAIN.first * 2 ** tries);
    log('warn', 'what a server keeps for changes of data is dropped later', {
      in_ms: wait,
      ...told,
    });
    kept.dropAgain(id, now + wait);
    around.arm(now + wait);
  }
}

/** Looks how much of its log the backend keeps for the endpoint, and reports when that is too much. */
export async function checkLag(around: ChangesContext, endpoint: KeptEndpoint): Promise<void> {
  const { kept } = around;
  if (kept.get('place') === undefined) return;
  try {
    const ctx = contextOf(around);
    const changes = await changesOf(ctx, endpointOf(ctx, around.owner(), endpoint));
    const { bytes } = await changes.lag();
    await noteLag(around, endpoint, bytes);
  } catch (thrown) {
    log('warn', 'how much log a server keeps could not be seen', loggedFault(thrown));
  }
}

async function noteLag(
  around: ChangesContext,
  { row }: KeptEndpoint,
  bytes: number,
): Promise<void> {
  const { env, kept, atOnce } = around;
  const isDegraded = bytes > LOG_MAX;
  if (isDegraded === (kept.get('degradedAt') !== undefined)) return;
  const now = Date.now();
  await noteDegraded(databaseOf(env), row.orgUuid, row.uuid, isDegraded ? now : null);
  atOnce(() => {
    kept.set('degradedAt', isDegraded ? now : undefined);
    if (!isDegraded) return;
    kept.tell({
      id: crypto.randomUUID(),
      event: 'endpoint.degraded',
      time: new Date(now).toISOString(),
      data: JSON.stringify({ endpoint: row.id, log_bytes: bytes }),
    });
  });
}

/** Appends our own events to the organization's. */
export async function tellEvents({ env, kept, owner }: ChangesContext): Promise<void> {
  const { orgUuid, orgId, sealedDataKey } = owner();
  for (let events = kept.tells(); events.length > 0; events = kept.tells()) {
    const log = env.ORGANIZATION_EVENTS.getByName(orgUuid);
    if ((await log.append({ orgUuid, orgId, sealedDataKey }, events)) === false) return;
    kept.told(events);
  }
}

/** Whether two configurations of an endpoint may reach different databases: whatever their credentials are. */
export async function isElsewhere(
  around: ChangesContext,
  before: KeptEndpoint,
  after: KeptEndpoint,
): Promise<boolean> {
  if (before.row.poolRevision === after.row.poolRevision) return false;
  const [one, other] = await Promise.all([whereOf(around, before), whereOf(around, after)]);
  return one !== other;
}

async function whereOf(around: ChangesContext, kept: KeptEndpoint): Promise<string> {
  const ctx = contextOf(around);
  const endpoint = endpointOf(ctx, around.owner(), kept);
  const config = await openConfig(ctx, endpoint);
  const name = serving(
    (each) => config[`${each}_conn`] !== undefined,
    'write',
    profileOf(endpoint),
  );
  return JSON.stringify(withoutCredentials(config[`${name}_conn`] ?? null));
}

const CREDENTIAL = /pass|user|token|secret|key|cert/i;

function withoutCredentials(json: Json): Json {
  if (typeof json === 'string') return json.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
  if (Array.isArray(json)) return json.map(withoutCredentials);
  if (!isJsonObject(json)) return json;
  const members = Object.entries(json).filter(([name]) => !CREDENTIAL.test(name));
  return Object.fromEntries(members.map(([name, value]) => [name, withoutCredentials(value)]));
}
