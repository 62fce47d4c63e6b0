/** Forgets the keys of an organization that is gone; those of others go after 24 h by themselves. */
import type { Bindings } from '../context.ts';
import { objectsOf } from './location.ts';

/** Empties all objects that the organization may have. */
export async function clearKeys({ IDEMPOTENCY_KEYS }: Bindings, orgUuid: string): Promise<void> {
  await Promise.all(objectsOf(orgUuid).map((object) => IDEMPOTENCY_KEYS.getByName(object).clear()));
}
