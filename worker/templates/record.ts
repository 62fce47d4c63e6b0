/** Templates as replies show them. */
import type { TemplateRow } from '../db/templates.ts';

/** The template's ETag: of its row, so not of what is counted of it. */
export function tagOf({ revision }: TemplateRow): string {
  return String(revision);
}

/** What every change answers. Spec: "Template", results. */
export function namedAs({ id, name, version }: TemplateRow, message: string) {
  return { id, name, version, message };
}
