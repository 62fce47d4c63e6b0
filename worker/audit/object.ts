/** The interface of the object that owns an organization's audit chain; its class uses the store. */
import type { SignedHead } from './hash.ts';

/** One per organization, by the name of its UUID. */
export interface AuditChainObject extends Rpc.DurableObjectBranded {
  /** There may be new entries: they are numbered within 5 s. */
  poke(orgUuid: string): Promise<void>;
  /** Numbers what is new and answers the signed head, made again when it is not that of the last entry. */
  head(orgUuid: string): Promise<SignedHead>;
  /**
   * Removes the chained entries before the first that is not older than `cutoff`, in Unix epoch
   * milliseconds, and keeps the signed head of the last one removed.
   */
  removeOlderThan(orgUuid: string, cutoff: number): Promise<void>;
  /** Forgets the organization: it is gone. */
  forget(): Promise<void>;
}
