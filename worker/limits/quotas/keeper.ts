/** In whose name replies are kept. Contract §5, "Quotas". */

/** Whose storage something is kept in. */
export interface Keeper {
  readonly orgUuid: string;
  /** The object, as `storage_holdings` names it. */
  readonly holder: string;
  readonly caller: string;
  /** Bytes of the organization's storage. */
  readonly quota: number;
}
