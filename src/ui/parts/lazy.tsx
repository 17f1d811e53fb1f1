/** Loads a component with its code when it is shown for the first time. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from './problem.tsx'

/** Returns a component that shows nothing until the code has arrived. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Lazy(props: P) {
    const [Component, setComponent] = useState<ComponentType<P> | null>(() => loaded)
    const [error, setError] = useState<unknown>(null)
    const read = (): void => {
      setError(null)
      load().then((component) => {
        loaded = component
        setComponent(() => component)
      }, setError)
    }
    useEffect(() => {
      if (loaded === null) read()
    }, [])
    if (error !== null) return <Problem error={error} onRetry={read} />
    return Component && <Component {...props} />
  }
}
