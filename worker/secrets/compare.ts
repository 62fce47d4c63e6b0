/** Compares secrets. */

/** By digests, whose length and time tell nothing about what was compared. */
export async function isSame(given: string, expected: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const [a, b] = await Promise.all(
    [given, expected].map((each) => crypto.subtle.digest('SHA-256', encoder.encode(each))),
  );
  return a !== undefined && b !== undefined && crypto.subtle.timingSafeEqual(a, b);
}
