/** What the triggers have in common that a message starts: filter and mapping. Spec: workflows.md §5. */
import type { Pieces } from '../../../proto/work/pieces.ts';
import type { Drafts } from './draft.ts';
import { compiled, type Stand } from './expression.ts';
import { ACTION_ID } from './ids.ts';
import type { Members } from './members.ts';
import type { OnDelivery } from './trigger-tree.ts';
import { readValue } from './value.ts';

/** `$` of a filter or mapping is what started the run. */
export const DELIVERY: Stand = { root: 'delivery' };

/** The filter and mapping of a trigger. */
export function* readDelivery(drafts: Drafts, members: Members): Pieces<OnDelivery> {
  const source = members.text('filter');
  const at = { where: members.at('filter'), stand: DELIVERY };
  const json = members.get('mapping');
  return {
    filter: source === undefined ? undefined : compiled(drafts, source, at),
    mapping:
      json === undefined
        ? undefined
        : yield* readValue(drafts, json, members.at('mapping'), DELIVERY),
  };
}

/** Whether a text is a path of webhooks: 1 to 8 segments. */
export function isHookPath(path: string): boolean {
  const segments = path.split('/');
  return segments.length <= 8 && segments.every((each) => ACTION_ID.test(each));
}
