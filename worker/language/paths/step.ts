/** Steps from a container to one of its children, as they are read from paths and written into them. */

/**
 * A member's name, an element's index, or a token that is either, whichever the container takes.
 * Only JSON Pointer and the slash form have tokens.
 */
export type Step = string | number | { readonly token: string };

/** Where a value is in a document: names and indexes from its top. */
export type Segment = string | number;

/** How a notation writes down places: its text for the document, and the text of a child by its parent's. */
export interface Writing {
  readonly top: string;
  child(parent: string, key: Segment): string;
}

/** The index that a text spells, without a leading zero; -1 when it spells none. */
export function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : -1;
}
