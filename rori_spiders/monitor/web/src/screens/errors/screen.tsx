import { Heading } from '@/parts/heading'

export function Errors() {
  return <Heading title="Errors" />
}
