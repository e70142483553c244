/** `1 page`, `1,200 pages` */
export function pluralize(number: number, thing: string): string {
  return `${number.toLocaleString()} ${thing}${number === 1 ? '' : 's'}`
}
