/** The interface of the objects that own what needs one owner of a node; their class uses the storage. */
/** The state of a process with the node's key. */
export type Admitted =
  /** It is the node's. */
  | { readonly state: 'admitted' }
  /** The nonce was used before. */
  | { readonly state: 'used' }
  /** The node used so many in the last minutes that no more are taken. */
  | { readonly state: 'full' }
  /** Another has taken its place. */
  | { readonly state: 'ended' }
  /** Another is the node's, as far as is known. */
  | { readonly state: 'other'; readonly instance: string };

/** One per node, by the name that node-object.ts gives. Its `fetch` passes a request on through a tunnel, or opens one. */
export interface RelayNodeObject extends Rpc.DurableObjectBranded {
  /** Uses up a nonce, and says the state of the process that showed it. @param expiresAt of the nonce, by the clock that says `now`; in Unix epoch milliseconds */
  admit(nonce: string, expiresAt: number, now: number, instance: string): Promise<Admitted>;
  /** Makes a process the node's instead of another, which is refused from then on; false where that one no longer is. */
  takeOver(instance: string, from: string): Promise<boolean>;
  /** Whether that process is the node's. */
  isOf(instance: string): Promise<boolean>;
  /** Forgets the node: it is gone, or has new keys. */
  forget(): Promise<void>;
  /** The gateway stops: its tunnels end as soon as they have no calls. */
  stop(): Promise<void>;
}

/** Which node. */
export interface NodeName {
  readonly orgUuid: string;
  readonly uuid: string;
}
