/** Patterns of the names of events. Spec: workflows.md §3 `wait`, §5 `event`. */

/** Whether a name fits a pattern in which `*` stands for any characters; in linear time. */
export function patternOf(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first) || name.length < first.length + last.length) return false;
    let at = first.length;
    const end = name.length - last.length;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0 || found + part.length > end) return false;
      at = found + part.length;
    }
    return name.endsWith(last);
  };
}
