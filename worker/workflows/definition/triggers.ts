/** Reads and checks the triggers of a definition. Spec: "Events"; workflows.md §5. */

import { kindSpec } from '../../../kinds/index.ts';
import { isJsonObject, type Json } from '../../../proto/json.ts';
import type { Pieces } from '../../../proto/work/pieces.ts';
import { comparedName } from '../../shapes/ids.ts';
import { faultOfCron, isTimeZone } from './cron.ts';
import { readDelivery } from './delivery.ts';
import type { Drafts } from './draft.ts';
import { followingLevel } from './following.ts';
import { Members } from './members.ts';
import type {
  ApiTrigger,
  DataChangeTrigger,
  EventTrigger,
  ScheduleTrigger,
  Trigger,
} from './trigger-tree.ts';
import { readValue } from './value.ts';
import { EVENT_NAME_MAX, isEventName } from './wait.ts';
import { readWebhook } from './webhook.ts';

/** Most triggers of a workflow. Spec: workflows.md §1. */
const TRIGGERS_MAX = 10;
/** Longest name of a collection, in characters. Spec silent. */
const COLLECTION_MAX = 1_024;
const OPERATIONS = ['insert', 'update', 'delete', 'write'] as const;
/** Kinds whose changes can be watched. Spec: workflows.md §5, `dataChange`. */
const WATCHED = ['postgres', 'mysql', 'mongo', 'redis'];

const READERS = {
  api: readApi,
  schedule: readSchedule,
  event: readEvent,
  webhook: readWebhook,
  dataChange: readDataChange,
} satisfies Record<
  Trigger['type'],
  (drafts: Drafts, members: Members, index: number) => Pieces<Trigger | undefined>
>;
const TYPES = Object.keys(READERS) as (keyof typeof READERS)[]; // Of a record, all.

/** Reads the member `trigger`: one, or a list of them. */
export function* readTriggers(drafts: Drafts, definition: Members): Pieces<readonly Trigger[]> {
  const json = definition.get('trigger');
  if (json === undefined) return [];
  const list = Array.isArray(json) ? json : [json];
  if (list.length > TRIGGERS_MAX) {
    definition.fault('trigger', `must have at most ${TRIGGERS_MAX} triggers`);
    return [];
  }
  const triggers: Trigger[] = [];
  for (const [index, each] of list.entries()) {
    const where = Array.isArray(json) ? `trigger.${index}` : 'trigger';
    const trigger = yield* readTrigger(drafts, each, { where, index });
    if (trigger !== undefined) triggers.push(trigger);
  }
  return triggers;
}

function* readTrigger(
  drafts: Drafts,
  json: Json,
  { where, index }: { readonly where: string; readonly index: number },
): Pieces<Trigger | undefined> {
  const { report } = drafts;
  if (!isJsonObject(json)) {
    report.add(where, 'must be an object, a trigger');
    return undefined;
  }
  const members = new Members(json, where, report);
  const type = members.has('type')
    ? members.chosen('type', TYPES)
    : members.fault('type', `is required: ${TYPES.join(', ')}`);
  return type && (yield* READERS[type](drafts, members, index));
}

// biome-ignore lint/correctness/useYield: it has nothing to give way at.
function* readApi(_drafts: Drafts, members: Members, index: number): Pieces<ApiTrigger> {
  members.refuseOthers(['type', 'synchronous', 'authentication'], 'a trigger of type api');
  const synchronous = members.flag('synchronous', false);
  const authentication = members.members('authentication');
  authentication?.refuseOthers(['required'], 'authentication');
  const required = authentication?.flag('required', true) ?? true;
  return { type: 'api', index, synchronous, required };
}

function* readSchedule(
  drafts: Drafts,
  members: Members,
  index: number,
): Pieces<ScheduleTrigger | undefined> {
  const names = ['type', 'schedule', 'timezone', 'input', 'missed', 'overlap'];
  members.refuseOthers(names, 'a trigger of type schedule');
  const schedule = members.needText('schedule');
  const wrong = schedule === undefined ? undefined : faultOfCron(schedule);
  if (wrong !== undefined) members.fault('schedule', wrong);
  const timezone = members.text('timezone') ?? 'UTC';
  if (!isTimeZone(timezone)) {
    members.fault('timezone', 'must be a time zone, such as Europe/Berlin');
  }
  const missed = members.oneOf('missed', ['once', 'all', 'skip'], 'once');
  const overlap = members.oneOf('overlap', ['allow', 'skip', 'queue'], 'allow');
  const json = members.get('input');
  const input =
    json === undefined
      ? undefined
      : yield* readValue(drafts, json, members.at('input'), { root: 'trigger' });
  return schedule === undefined
    ? undefined
    : { type: 'schedule', index, schedule, timezone, input, missed, overlap };
}

function* readEvent(
  drafts: Drafts,
  members: Members,
  index: number,
): Pieces<EventTrigger | undefined> {
  members.refuseOthers(['type', 'source', 'event', 'filter', 'mapping'], 'a trigger of type event');
  const [source, event] = [members.needText('source'), members.needText('event')];
  const names = { source, event };
  for (const [name, value] of Object.entries(names)) {
    if (value !== undefined && !isEventName(value)) {
      members.fault(name, `must be a text of 1 to ${EVENT_NAME_MAX} characters`);
    }
  }
  const delivery = yield* readDelivery(drafts, members);
  if (source === undefined || event === undefined) return undefined;
  return { type: 'event', index, source, event, ...delivery };
}

function* readDataChange(
  drafts: Drafts,
  members: Members,
  index: number,
): Pieces<DataChangeTrigger | undefined> {
  const names = ['type', 'endpoint', 'collection', 'operation', 'ordered', 'filter', 'mapping'];
  members.refuseOthers(names, 'a trigger of type dataChange');
  const endpoint = members.needText('endpoint');
  const collection = members.needText('collection');
  if (collection !== undefined && collection.length > COLLECTION_MAX) {
    members.fault('collection', `must have at most ${COLLECTION_MAX} characters`);
  }
  const operations = readOperations(members);
  const ordered = members.flag('ordered', false);
  const delivery = yield* readDelivery(drafts, members);
  if (endpoint === undefined || collection === undefined) return undefined;
  const path = members.at('endpoint');
  const id = comparedName(endpoint);
  const kind = drafts.lookups.kindOf(id);
  if (kind === undefined && drafts.lookups.isStored !== true) {
    members.fault('endpoint', `names no endpoint of the organization: ${endpoint}`);
  } else if (kind !== undefined && !WATCHED.includes(kind)) {
    members.fault(
      'endpoint',
      `is of kind ${kindSpec(kind).label}, whose changes cannot be watched`,
    );
  }
  drafts.references.push({ kind: 'endpoint', id, path, level: followingLevel(kind) });
  return { type: 'dataChange', index, endpoint, collection, operations, ordered, ...delivery };
}

function readOperations(members: Members): DataChangeTrigger['operations'] {
  const json = members.get('operation');
  const all = new Set(['insert', 'update', 'delete'] as const);
  if (json === undefined) return all;
  const list = Array.isArray(json) ? json : [json];
  const found = list.map((each) => OPERATIONS.find((known) => known === each));
  if (list.length === 0 || found.includes(undefined)) {
    members.fault('operation', `must be one or more of ${OPERATIONS.join(', ')}`);
  }
  return new Set(
    found.flatMap((each) => {
      if (each === undefined) return [];
      return each === 'write' ? (['insert', 'update'] as const) : [each];
    }),
  );
}
