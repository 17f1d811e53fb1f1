/** Shows the logo with the name of the product. */
import logo from '../logo.svg'

export function Logo() {
  return (
    <span class="logo">
      <img src={logo} alt="" width="28" height="28" />
      Waybill
    </span>
  )
}
