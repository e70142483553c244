import { useSession } from '@/api/session'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { Heading } from '@/components/layout/Heading'
import { PasswordForm } from './PasswordForm'

const MAY = {
  viewer: 'Viewer: you see everything, and change nothing. An operator can give you more with scrapy monitor users role.',
  operator: 'Operator: you see everything, and may run, pause, cancel and activate.',
}

export function Account() {
  const session = useSession()
  return (
    <>
      <Heading title="Account" />
      <Card title="Who you are, and where">
        <Facts
          facts={[
            ['User', session.user],
            ['Role', MAY[session.role]],
            ['Ledger', session.instance.ledger],
            ['Staging area', session.instance.staging],
            ['RORI Collector', session.version],
          ]}
        />
      </Card>
      <Card title="Password">
        {session.has_password ? (
          <PasswordForm user={session.user} />
        ) : (
          <p className="text-sm">You are signed in by a reverse proxy: your password is kept there, not here.</p>
        )}
      </Card>
    </>
  )
}
