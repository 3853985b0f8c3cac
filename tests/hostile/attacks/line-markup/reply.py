REPLY = b'{"move":"<script>alert(1)</script>"}\n'
