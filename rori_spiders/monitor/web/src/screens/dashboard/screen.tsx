import { Heading } from '@/parts/heading'

export function Dashboard() {
  return <Heading title="Dashboard" />
}
