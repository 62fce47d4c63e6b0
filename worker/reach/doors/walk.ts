/** What a run asks, and of whom, through the templates that it nests: pure. Spec: keys-and-doors.md §2; contract §4. */
import type { Level } from '../../levels.ts';

/** Something that a template or workflow reaches by itself. */
export interface Step {
  readonly kind: 'template' | 'endpoint';
  /** An id, or a UUID in lower case. */
  readonly id: string;
  /** The level that is needed there; Read when left out. */
  readonly level?: Level | undefined;
}

/** Templates, by UUID, and what they reach. */
export interface Graph {
  stepsOf(uuid: string): readonly Step[];
  /** @throws GatewayError TEMPLATE_NOT_FOUND */
  uuidOf(template: string): string;
  /** Whether it runs with its author's rights. */
  isDoor(uuid: string): boolean;
  /** Whether it is pinned to another version than the one in force, and either is a door: that is open to Admins alone. */
  isStale(uuid: string): boolean;
}

/** A level that is needed of somebody. */
export interface Ask {
  readonly kind: Step['kind'];
  readonly id: string;
  readonly level: Level;
  /** UUID of the door whose author's rights count; undefined: the rights that the walk began with. */
  readonly by: string | undefined;
}

/** All that steps ask; a nested door asks of whose rights the outer run has what it asks of callers, and the rest of its author. */
export function asksOf(graph: Graph, from: readonly Step[], begin?: string): Ask[] {
  const asks: Ask[] = [];
  const seen = new Set<string>();
  const visit = (steps: readonly Step[], by: string | undefined): void => {
    for (const { kind, id, level = 'Read' } of steps) {
      if (kind === 'endpoint') asks.push({ kind, id, level, by });
      else enter(id, by);
    }
  };
  const enter = (id: string, by: string | undefined): void => {
    const uuid = graph.uuidOf(id);
    const isDoor = graph.isDoor(uuid);
    asks.push({ kind: 'template', id, level: needed(graph, uuid), by });
    const within = isDoor ? uuid : by;
    const key = `${within ?? ''}:${uuid}`;
    if (seen.has(key)) return;
    seen.add(key);
    visit(graph.stepsOf(uuid), within);
  };
  visit(from, begin);
  return asks;
}

function needed(graph: Graph, uuid: string): Level {
  if (graph.isStale(uuid)) return 'Admin';
  return graph.isDoor(uuid) ? levelOf(graph, uuid) : 'Read';
}

/** What a door asks of who runs it: Read where all that it reaches is read, else Write. */
function levelOf(graph: Graph, uuid: string): 'Read' | 'Write' {
  const seen = new Set([uuid]);
  // A set goes on with what is added meanwhile.
  for (const each of seen) {
    for (const { kind, id, level = 'Read' } of graph.stepsOf(each)) {
      if (kind === 'template') seen.add(graph.uuidOf(id));
      else if (level !== 'Read') return 'Write';
    }
  }
  return 'Read';
}
