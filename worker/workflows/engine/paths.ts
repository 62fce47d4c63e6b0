/** Paths of nodes: ids with the numbers of elements and branches, as `each[3].store`. Spec: workflows.md §6. */
import type { ActionParent, Workflow } from '../definition/tree.ts';

const SEGMENT = /^([^[]+)(?:\[(\d+)\])?$/;

/** One part of a path: an action, and which of its elements or branches the path goes through. */
interface Segment {
  readonly id: string;
  readonly index: number | undefined;
  /** The path up to the id. */
  readonly upTo: string;
}

/** The parts of a path, from the outside. */
export function segmentsOf(path: string): Segment[] {
  let before = '';
  return path.split('.').map((part) => {
    const [, id = part, index] = SEGMENT.exec(part) ?? [];
    const upTo = before + id;
    before += `${part}.`;
    return { id, index: index === undefined ? undefined : Number(index), upTo };
  });
}

/** Whether a node is part of another, at whatever depth. */
export function isBelow(path: string, container: string): boolean {
  if (!path.startsWith(container)) return false;
  const next = path.charAt(container.length);
  return next === '.' || next === '[';
}

/** Paths of all that a node is part of, from the outside. */
export function above(path: string): string[] {
  return segmentsOf(path)
    .slice(0, -1)
    .map(({ upTo }) => upTo);
}

/** The path of what a node is part of on the top level, or its own. */
export function topOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

/** What the paths of a list begin with that is a container's branch or element. */
export function frameOf(container: string, index: number): string {
  return `${container}[${index}].`;
}

/** The number of the branch or element that a list is. */
export function indexOf(frame: string): number {
  return Number(frame.slice(frame.lastIndexOf('[') + 1, -2));
}

/**
 * Where the action that an id means is, seen from a node: in a loop, that of the same element.
 * Undefined where it is in no run that the node sees.
 */
export function pathFrom(workflow: Workflow, from: string, id: string): string | undefined {
  const own = segmentsOf(from).find((segment) => segment.id === id);
  if (own) return own.upTo;
  const action = workflow.byId.get(id);
  if (!action) return undefined;
  const frame = prefixFrom(workflow, from, action.place);
  return frame === undefined ? undefined : frame + action.id;
}

function prefixFrom(workflow: Workflow, from: string, place: ActionParent): string | undefined {
  if (place.in === 'workflow') return '';
  if (place.of === undefined) return undefined;
  const container = pathFrom(workflow, from, place.of);
  if (container === undefined) return undefined;
  if (place.in === 'branch') return frameOf(container, place.branch);
  if (place.in !== 'loop') return `${container}.`;
  const index = segmentsOf(from).find(({ upTo }) => upTo === container)?.index;
  return index === undefined ? undefined : frameOf(container, index);
}
