import { useSession } from '@/api/session'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { ThemeSwitch } from '@/components/layout/ThemeSwitch'
import { Heading } from '@/components/layout/Heading'
import { command } from '@/lib/command'
import { PasswordForm } from './PasswordForm'
import { Subscriptions } from './Subscriptions'
import { Tokens } from './Tokens'

const MAY = {
  viewer: () => `Viewer (read-only). An operator can change your role with ${command('monitor users role')}.`,
  operator: () => 'Operator: can run, pause and cancel jobs and activate manifests.',
}

export function Account() {
  const session = useSession()
  return (
    <>
      <Heading title="Account" />
      <Card title="Profile and instance">
        <Facts
          facts={[
            ['User', session.user],
            ['Role', MAY[session.role]()],
            ['Ledger', session.instance.ledger],
            ['Staging area', session.instance.staging],
            ['RORI Collector', session.version],
          ]}
        />
      </Card>
      <div className="mb-4 md:hidden">
        <ThemeSwitch />
      </div>
      <Card title="Subscriptions to changes">
        <Subscriptions mayAct={session.operator_may} />
      </Card>
      <Card title="API tokens">
        <Tokens mayAct={session.operator_may} />
      </Card>
      <Card title="Password">
        {session.has_password ? (
          <PasswordForm user={session.user} />
        ) : (
          <p className="text-sm">You signed in through a reverse proxy, which manages your password.</p>
        )}
      </Card>
    </>
  )
}
