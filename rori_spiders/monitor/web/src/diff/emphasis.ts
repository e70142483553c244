/** *text* without the asterisks of markdown's emphasis, and without the backslashes of its literal ones. An asterisk between
 * spaces is none. What has nothing else stays: it is what changed. */
export function hideEmphasis(text: string): string {
  const plain = text.replace(/(?<![\\*])\*{1,3}(?=[^\s*])|(?<=[^\s\\*])\*{1,3}(?!\*)/g, '').replace(/\\\*/g, '*')
  return plain.trim() === '' ? text : plain
}
