/** Names of doors: templates and workflows whose runs have their author's rights. Spec: keys-and-doors.md §2. */

/** What is a door. */
export interface DoorName {
  readonly kind: 'template' | 'workflow';
  readonly id: string;
}
